// Functions that a web framework calls for requests, by their decorators: `@bp.route("/chat", methods=["POST"])`.
#pragma once

#include <string>

#include "program/program.h"
#include "report/story/story.h"

namespace lockstep::report {

/// "`chat` answers the requests `POST /chat` and `POST /v1/chat`: the server calls it for each of them." Empty for
/// functions without such a decorator. `name`: marked text. Flask's, Quart's and FastAPI's decorators (their docs).
std::string request_text(const program::Program& program, program::FunctionId function, const std::string& name);

/// The same of the function that `frame` registers: by its decorator, or by its class (`add_resource(Chat, "/chat")`).
std::string registered_request_text(const program::Program& program, const PathFrame& frame,
                                    program::FunctionId function, const std::string& name);

}  // namespace lockstep::report
