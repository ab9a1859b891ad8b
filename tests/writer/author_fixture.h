// A small library with a change, and all that the author needs of it.
#pragma once

#include <memory>
#include <optional>

#include "render/document_fixture.h"
#include "writer/author/author.h"
#include "writer/author/change_tools.h"
#include "writer/author/claims.h"

namespace lockstep::writer::testing {

/// A loss that is divided by the tokens of all ranks, behind a new setting.
std::unique_ptr<render::Fixture> loss_change();

/// Everything refers to `fixture`.
struct AuthorFixture {
  explicit AuthorFixture(std::unique_ptr<render::Fixture> change);
  [[nodiscard]] AuthorInputs inputs(Model& model) const { return {pack, *sides, model, tools.get(), "scripted", "en"}; }

  std::unique_ptr<render::Fixture> fixture;
  PackInputs pack;
  std::unique_ptr<CitedSides> sides;
  std::unique_ptr<ChangeTools> tools;
};

}  // namespace lockstep::writer::testing
