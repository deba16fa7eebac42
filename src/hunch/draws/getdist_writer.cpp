#include "hunch/draws/getdist_writer.hpp"

#include "hunch/draws/number_column.hpp"
#include "hunch/draws/parameter_names.hpp"

namespace hunch {

namespace {

std::string weighted_rows(const Draws& draws, Index chain, const Vector& log_posterior) {
  const auto rows = draws.chain(chain);
  fmt::memory_buffer text;
  for (Index first = 0, next = 0; first < rows.rows(); first = next) {
    for (next = first + 1; next < rows.rows(); ++next)
      if (rows.row(next) != rows.row(first) || log_posterior(next) != log_posterior(first)) break;
    fmt::format_to(std::back_inserter(text), "{} ", next - first);
    append_number(text, -log_posterior(first));
    for (Index p = 0; p < rows.cols(); ++p) {
      text.push_back(' ');
      append_number(text, rows(first, p));
    }
    text.push_back('\n');
  }
  return fmt::to_string(text);
}

// Labels are TeX in math mode, where a bare underscore is a subscript and two are an error.
std::string label(const std::string& name) {
  std::string escaped;
  for (char c : name) escaped += c == '_' ? std::string("\\_") : std::string(1, c);
  return "\\mathrm{" + escaped + "}";
}

std::string ranges(const std::vector<std::string>& names, const std::vector<Limits>& limits) {
  fmt::memory_buffer text;
  const auto append_limit = [&text](std::optional<double> limit) {
    text.push_back(' ');
    if (limit && std::isfinite(*limit))
      append_number(text, *limit);
    else
      text.push_back('N');
  };
  for (std::size_t p = 0; p < names.size(); ++p) {
    const Limits own = limits.empty() ? Limits{} : limits[p];
    fmt::format_to(std::back_inserter(text), "{}", names[p]);
    append_limit(own.lower);
    append_limit(own.upper);
    text.push_back('\n');
  }
  return fmt::to_string(text);
}

}  // namespace

void write_getdist(const Export& result, const std::filesystem::path& root, Overwrite overwrite) {
  validate(result);
  const std::vector<std::string> names = stan_names(result.draws.names());
  const auto beside = [&root](const std::string& ending) {
    std::filesystem::path path = root;
    return path += ending;
  };
  WholeFiles files(overwrite);
  files.claim_numbered(root.parent_path(), root.filename().string() + "_", ".txt");
  for (Index c = 0; c < result.draws.chains(); ++c)
    files.write(beside(fmt::format("_{}.txt", c + 1)),
                weighted_rows(result.draws, c, result.chains[static_cast<std::size_t>(c)].log_posterior));
  std::string paramnames;
  for (const std::string& name : names) paramnames += name + "\t" + label(name) + "\n";
  files.write(beside(".paramnames"), paramnames);
  files.write(beside(".ranges"), ranges(names, result.limits));
  files.publish();
}

}  // namespace hunch
