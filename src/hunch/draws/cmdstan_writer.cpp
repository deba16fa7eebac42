#include "hunch/draws/cmdstan_writer.hpp"

#include <algorithm>
#include <limits>

#include "hunch/draws/number_column.hpp"
#include "hunch/draws/parameter_names.hpp"

namespace hunch {

namespace {

constexpr double not_recorded = std::numeric_limits<double>::quiet_NaN();

// A value of the configuration is one word: readers split lines at blanks and equal signs.
std::string one_word(const std::string& value) {
  std::string word = value;
  for (char& c : word)
    if (c <= ' ' || c == '=' || c == '#' || c == ',' || c > '~') c = '_';
  return word.empty() ? "unknown" : word;
}

// As CmdStan 2.33 writes it; save_warmup is 0 and not false, which some readers cannot convert.
void append_configuration(fmt::memory_buffer& text, const Export& result, Index id) {
  fmt::format_to(std::back_inserter(text),
                 "# stan_version_major = 2\n"
                 "# stan_version_minor = 33\n"
                 "# stan_version_patch = 0\n"
                 "# model = hunch_model\n"
                 "# hunch_version = {}\n"
                 "# hunch_method = {}\n"
                 "# start_datetime = {}\n"
                 "# method = sample (Default)\n"
                 "#   sample\n"
                 "#     num_samples = {}\n"
                 "#     num_warmup = {}\n"
                 "#     save_warmup = 0 (Default)\n"
                 "#     thin = 1 (Default)\n"
                 "#     adapt\n"
                 "#       engaged = 1 (Default)\n"
                 "#     algorithm = hmc (Default)\n"
                 "#       hmc\n"
                 "#         engine = nuts (Default)\n"
                 "#           nuts\n"
                 "#             max_depth = 10 (Default)\n"
                 "#         metric = dense_e\n"
                 "#         stepsize = 1 (Default)\n"
                 "#         stepsize_jitter = 0 (Default)\n"
                 "#     num_chains = 1 (Default)\n"
                 "# id = {}\n"
                 "# random\n"
                 "#   seed = {}\n"
                 "# output\n"
                 "#   file = chain_{}.csv\n",
                 one_word(result.version), one_word(result.method), one_word(result.created_at),
                 result.draws.length(id - 1), result.warmup_iterations, id, result.seed, id);
}

void append_header(fmt::memory_buffer& text, const ChainRecord& chain,
                   const std::vector<std::string>& names) {
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "lp__,accept_stat__,stepsize__,treedepth__,n_leapfrog__,divergent__,energy__");
  if (chain.stage1_probability.size() > 0) fmt::format_to(out, ",stage1_accept_prob__");
  if (!chain.evaluated.empty()) fmt::format_to(out, ",evaluated__");
  fmt::format_to(out, ",{}\n", fmt::join(names, ","));
}

void append_adaptation(fmt::memory_buffer& text, const ChainRecord& chain, Index parameters) {
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "# Adaptation terminated\n# Step size = 1\n# Elements of inverse mass matrix:\n");
  const Matrix& covariance = chain.proposal_covariance;
  for (Index i = 0; i < parameters; ++i) {
    fmt::format_to(out, "# ");
    for (Index j = 0; j < parameters; ++j) {
      if (j > 0) fmt::format_to(out, ", ");
      append_number(text, covariance.size() > 0 ? covariance(i, j) : not_recorded);
    }
    text.push_back('\n');
  }
}

void append_draw(fmt::memory_buffer& text, const ChainRecord& chain, Index draw) {
  const auto i = static_cast<std::size_t>(draw);
  const auto out = std::back_inserter(text);
  const double log_posterior = chain.log_posterior(draw);
  append_number(text, log_posterior);
  text.push_back(',');
  append_number(text, chain.accepted.empty() ? not_recorded : static_cast<double>(chain.accepted[i]));
  fmt::format_to(out, ",1,0,{:d},0,", !chain.evaluated.empty() && chain.evaluated[i]);
  append_number(text, -log_posterior);
  if (chain.stage1_probability.size() > 0) {
    text.push_back(',');
    append_number(text, chain.stage1_probability(draw));
  }
  if (!chain.evaluated.empty()) fmt::format_to(out, ",{:d}", static_cast<bool>(chain.evaluated[i]));
}

// Readers take the number from column 17 on, and some drop all but digits and points: no exponents.
void append_elapsed_time(fmt::memory_buffer& text, const Export& result) {
  const double warmup = std::clamp(result.warmup_seconds, 0.0, std::max(0.0, result.seconds));
  fmt::format_to(std::back_inserter(text),
                 "# \n"
                 "#  Elapsed Time: {:.3f} seconds (Warm-up)\n"
                 "#                {:.3f} seconds (Sampling)\n"
                 "#                {:.3f} seconds (Total)\n"
                 "# \n",
                 warmup, std::max(0.0, result.seconds - warmup), std::max(0.0, result.seconds));
}

std::string chain_file(const Export& result, Index chain, const std::vector<std::string>& names) {
  const ChainRecord& record = result.chains[static_cast<std::size_t>(chain)];
  fmt::memory_buffer text;
  append_configuration(text, result, chain + 1);
  append_header(text, record, names);
  append_adaptation(text, record, result.draws.parameters());
  const auto rows = result.draws.chain(chain);
  for (Index i = 0; i < rows.rows(); ++i) {
    append_draw(text, record, i);
    for (Index p = 0; p < rows.cols(); ++p) {
      text.push_back(',');
      append_number(text, rows(i, p));
    }
    text.push_back('\n');
  }
  append_elapsed_time(text, result);
  return fmt::to_string(text);
}

}  // namespace

void write_cmdstan(const Export& result, const std::filesystem::path& folder, Overwrite overwrite) {
  validate(result);
  common_length(result.draws, "CmdStan CSV");
  const std::vector<std::string> names = stan_names(result.draws.names());
  WholeFiles files(overwrite);
  files.make_folder(folder);
  files.claim_numbered(folder, "chain_", ".csv");
  for (Index c = 0; c < result.draws.chains(); ++c)
    files.write(folder / fmt::format("chain_{}.csv", c + 1), chain_file(result, c, names));
  files.publish();
}

}  // namespace hunch
