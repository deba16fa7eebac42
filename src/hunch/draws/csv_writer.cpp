#include "hunch/draws/csv_writer.hpp"

#include "hunch/draws/number_column.hpp"
#include "hunch/draws/parameter_names.hpp"

namespace hunch {

namespace {

std::string quoted(const std::string& field) {
  if (!field.empty() && field.find_first_of(",\"\r\n") == std::string::npos) return field;
  std::string out = "\"";
  for (char c : field) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

}  // namespace

void write_csv(const Export& result, const std::filesystem::path& file, Overwrite overwrite) {
  validate(result);
  fmt::memory_buffer text;
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "chain,draw");
  for (const std::string& name : csv_names(result.draws.names(), {"chain", "draw", "lp"}))
    fmt::format_to(out, ",{}", quoted(name));
  fmt::format_to(out, ",lp\n");
  for (Index c = 0; c < result.draws.chains(); ++c) {
    const auto rows = result.draws.chain(c);
    const Vector& log_posterior = result.chains[static_cast<std::size_t>(c)].log_posterior;
    for (Index i = 0; i < rows.rows(); ++i) {
      fmt::format_to(out, "{},{}", c + 1, i + 1);
      for (Index p = 0; p < rows.cols(); ++p) {
        text.push_back(',');
        append_number(text, rows(i, p));
      }
      text.push_back(',');
      append_number(text, log_posterior(i));
      text.push_back('\n');
    }
  }
  WholeFiles files(overwrite);
  files.write(file, {text.data(), text.size()});
  files.publish();
}

}  // namespace hunch
