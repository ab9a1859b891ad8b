// Modules that code imports by a computed name, and in which it looks functions up by a name that it is given:
//   for prefix in ("models", "experiments"):
//       module = importlib.import_module(f"{prefix}.{name}.registry")
//   make = getattr(module, config)
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "program/program.h"
#include "python/tree.h"

namespace lockstep::program {

/// The text of a module's name around what is computed: between two of these stands something that is computed.
using NameForm = std::vector<std::string>;

/// The forms of the names by which `import` (a call of `import_module` in `function`, the node of its definition) may
/// import. Only those are given that say enough: the module's last part, or all but that.
std::vector<NameForm> forms_of_import(const python::Node& function, const python::Call& import);

/// Whether a module's dotted name has the form: what is computed is not empty, and of one part where nothing follows
/// it.
bool has_form(std::string_view module, const NameForm& form);

/// The locals to which the function gives the value.
std::vector<std::string_view> locals_that_hold(const python::Node& function, const python::Expr& value);

/// Whether `call` is `getattr(module, name)` with a name that is computed.
bool looks_up_by_name(const python::Call& call);

/// The forms of the module in which `look_up` (see above), a call in `function`, looks: of what the local that is its
/// first argument is imported by. Empty where that is not known.
std::vector<NameForm> forms_of_look_up(const python::Node& function, const python::Call& look_up);

/// The forms of the names that `look_up` looks up, where their text says enough; empty where none is known.
std::vector<NameForm> forms_of_member(const python::Node& function, const python::Call& look_up);

}  // namespace lockstep::program
