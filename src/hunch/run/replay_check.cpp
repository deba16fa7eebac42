#include "hunch/run/replay_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace hunch {

ReplayCheck::ReplayCheck(const Store& store, const Parameters& parameters)
    : store_(store), parameters_(parameters) {
  for (const Record& record : store.all())
    if (!record.taken_over()) unasked_.insert(bits_of(record.theta));
  own_ = unasked_.size();
}

void ReplayCheck::about_to_ask(const std::vector<Vector>& thetas, const Evaluator& evaluator, Want want) {
  if (unasked_.empty()) return;
  for (const Vector& theta : thetas) unasked_.erase(bits_of(theta));
  if (unasked_.empty()) return;
  for (const Vector& theta : thetas)
    if (!evaluator.knows(theta, want)) refuse(theta);
}

void ReplayCheck::refuse(const Vector& unknown) const {
  const auto& rows = store_.all();
  const auto first = std::find_if(rows.begin(), rows.end(), [&](const Record& record) {
    return unasked_.contains(bits_of(record.theta));
  });
  throw InputError(
      fmt::format("{} of the {} points that this run has paid for were not asked for when it was repeated: "
                  "the first is {}, and "
                  "{} came instead; probably another version or build of the program began it. Go on with "
                  "that one, or begin a "
                  "new run with --reuse {}, where what is known costs nothing",
                  unasked_.size(), own_, described(first->theta), described(unknown),
                  std::filesystem::absolute(store_.path()).parent_path().string()));
}

std::string ReplayCheck::described(const Vector& theta) const {
  std::string words;
  for (Index i = 0; i < theta.size(); ++i)
    words += fmt::format("{}{} = {:.17g}", i == 0 ? "" : ", ",
                         parameters_.list()[static_cast<std::size_t>(i)].name, theta[i]);
  return words;
}

}  // namespace hunch
