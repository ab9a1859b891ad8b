#include "writer/author_fixture.h"

namespace lockstep::writer::testing {

namespace {

constexpr const char* kLossBefore = R"(import torch
import torch.distributed as dist


def masked_loss(output, batch, config):
    """Average the loss over the tokens that count."""
    mask = batch.mask
    total = mask.sum()
    return (output * mask).sum() / total
)";
constexpr const char* kLossAfter = R"(import torch
import torch.distributed as dist


def count_tokens(mask, group):
    """Count the tokens of all ranks of the group."""
    total = mask.sum()
    dist.all_reduce(total, group=group)
    return total


def masked_loss(output, batch, config):
    """Average the loss over the tokens that count."""
    mask = batch.mask
    if config.global_token_count:
        total = count_tokens(mask, config.group)
    else:
        total = mask.sum()
    return (output * mask).sum() / total
)";
constexpr const char* kTrain = R"(from lib.config import Config
from lib.loss import masked_loss


def train_step(model, batch, config):
    """Run one step."""
    loss = masked_loss(model(batch), batch, config)
    loss.backward()
    return loss


if __name__ == "__main__":
    train_step(None, None, Config())
)";
constexpr const char* kConfig =
    "from dataclasses import dataclass\n\n\n@dataclass\nclass Config:\n    group: object = None\n";

CitedSidesInput sides_input(const render::Fixture& fixture) {
  CitedSidesInput input{
      &fixture.before, fixture.after, &fixture.before_files, fixture.after_files, &fixture.diff, {}, {}, 1};
  input.own_words = fixture.inputs.title + "\n" + fixture.inputs.body;
  return input;
}

}  // namespace

std::unique_ptr<render::Fixture> loss_change() {
  const render::Files before = {
      {"train.py", kTrain}, {"lib/__init__.py", ""}, {"lib/loss.py", kLossBefore}, {"lib/config.py", kConfig}};
  render::Files after = before;
  after["lib/loss.py"] = kLossAfter;
  after["lib/config.py"] = std::string(kConfig) + "    global_token_count: bool = False\n";
  return render::make_fixture(before, after, "Divide the loss by all tokens (#12)",
                              "Ranks saw different numbers of tokens.\n");
}

AuthorFixture::AuthorFixture(std::unique_ptr<render::Fixture> change)
    : fixture(std::move(change)),
      pack{fixture->inputs, {}, nullptr},
      sides(std::make_unique<CitedSides>(sides_input(*fixture))),
      tools(std::make_unique<ChangeTools>(fixture->inputs)) {}

}  // namespace lockstep::writer::testing
