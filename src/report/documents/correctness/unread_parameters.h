// A new parameter that makes others count for nothing: where it is given, the function does not read them.
//   def serve(port, sock=None):
//       if sock is not None: port = sock.port()
//       else: sock = bind(port)
#pragma once

#include <vector>

#include "report/documents/risks.h"

namespace lockstep::report {

/// One risk of compatibility for each such parameter, at most two.
void add_unread_parameters(const DocumentInputs& inputs, const Story& story, std::vector<Risk>& risks);

}  // namespace lockstep::report
