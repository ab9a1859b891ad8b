// What objects of a class have, asked by name: for questions on attributes that some classes have and others lack.
#pragma once

#include <string_view>
#include <vector>

#include "program/program.h"
#include "report/source/code.h"

namespace lockstep::report {

/// Whether all that the class derives from is seen, and nothing gives its objects attributes by names worked out.
bool is_all_seen(const program::Program& program, program::ClassId cls);
/// The same of an object of the class itself: classes below it may do as they like.
bool is_seen_itself(const program::Program& program, program::ClassId cls);

/// Whether the class, or one above it, has the name as a field, method or nested class.
bool has_member(const program::Program& program, program::ClassId cls, std::string_view name);

/// Whether anything but `self.name = …` and class bodies may give objects the name: `model.name = …`, and, where texts
/// count, its name as one.
bool is_set_otherwise(const program::Program& program, std::string_view name, bool with_texts);

/// Whether a condition around a read off `object` asks for the object, or for the kind of anything.
bool asks_for_object(const python::Expr& object, const std::vector<Guard>& guards, const SourceText& source);

}  // namespace lockstep::report
