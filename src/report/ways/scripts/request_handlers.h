// Functions that a web server calls for requests -> where code registers them with it:
//   @bp.route("/chat")                     # bp = Blueprint(…), in its module
//   def chat(): …
//   app.register_blueprint(bp)             # by that name, or one by one from a list of a module
//   api.add_resource(Chat, "/chat")        # methods of a class: get, put, …
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "program/program.h"

namespace lockstep::report {

/// Whether the decorator names a path of requests: `@app.post("/chat")`. Flask's, Quart's and FastAPI's (their docs).
bool is_route(const python::Expr& decorator);
/// Whether methods of that name of a class answer requests: get, put, …
bool is_request_method(std::string_view name);

class RequestHandlers {
 public:
  explicit RequestHandlers(const program::Program& program) : program_(program) {}

  struct Registration {
    program::FunctionId function;        ///< That registers it.
    const python::Call* call = nullptr;  ///< In it: the registering call, or the decorator of an inner function.
  };
  /// Where code outside tests registers the function; none for others, and where that was not found.
  std::optional<Registration> of(program::FunctionId handler);

 private:
  /// A value that a call registers: of a blueprint, the variable of a module; of a resource, a class.
  struct Registered {
    Registration by;
    program::Reference what;
  };
  const std::vector<Registered>& registered();
  [[nodiscard]] std::vector<program::Reference> values_of(program::FunctionId function,
                                                          const python::Expr& argument) const;
  [[nodiscard]] std::vector<program::Reference> elements_of(program::FunctionId function,
                                                            const python::Expr& sequence) const;

  const program::Program& program_;
  std::optional<std::vector<Registered>> registered_;  ///< Found when first asked for.
};

}  // namespace lockstep::report
