#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "hunch/cli/commands.hpp"
#include "hunch/config/choices.hpp"
#include "hunch/config/template.hpp"
#include "hunch/draws/whole_files.hpp"
#include "hunch/run/job.hpp"
#include "hunch/run/text_file.hpp"

namespace hunch::cli {

namespace {

struct Timed {
  Outcome outcome;
  double seconds;
};

Timed ask(Model& model, const Vector& theta, Want want) {
  const auto begun = std::chrono::steady_clock::now();
  Outcome outcome = model.evaluate(theta, want);
  return {std::move(outcome),
          std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count()};
}

std::string in_words(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.0f} us", 1e6 * seconds);
  if (seconds < 1) return fmt::format("{:.1f} ms", 1e3 * seconds);
  if (seconds < 120) return fmt::format("{:.1f} s", seconds);
  if (seconds < 7200) return fmt::format("{:.1f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

struct Slope {
  std::string parameter;
  double model;
  std::optional<double> differences;  // nothing where the model did not answer beside the point

  // Differences have some error of their own.
  bool agrees() const {
    return !differences || std::abs(*differences - model) <= 1e-3 * std::max(1.0, std::abs(*differences));
  }
};

// The model's gradient beside central differences, one parameter after the other; costs two evaluations each.
std::vector<Slope> slopes_at(Model& model, const Job& job, const Vector& theta, const Vector& gradient) {
  std::vector<Slope> slopes;
  for (Index j = 0; j < theta.size(); ++j) {
    const double step = 1e-5 * std::max(1e-3, std::abs(theta[j]));
    Vector up = theta, down = theta;
    up[j] += step;
    down[j] -= step;
    const Outcome above = model.evaluate(up, Want::value), below = model.evaluate(down, Want::value);
    Slope slope{job.config.parameters[static_cast<std::size_t>(j)].name, gradient[j], std::nullopt};
    if (above.kind == OutcomeKind::value && below.kind == OutcomeKind::value)
      slope.differences = (above.exact.log_likelihood - below.exact.log_likelihood) / (2 * step);
    slopes.push_back(std::move(slope));
  }
  return slopes;
}

struct Bill {
  double iterations;
  double evaluations;
  const char* reason;
};

// By what the study of efficiency saw.
Bill bill_of(const Job& job) {
  if (explores(job.settings.method)) {
    const double draws = static_cast<double>(job.starts.size()) * static_cast<double>(job.settings.draws);
    const double exploring = 80 + 12 * static_cast<double>(job.parameters.dimension());
    if (job.settings.exactness == Exactness::audited)
      return {draws, exploring, "to learn the posterior and to audit what was learned; draws cost nothing"};
    return {draws, exploring + draws, "some to learn the posterior, then one for each draw"};
  }
  const double iterations =
      static_cast<double>(job.starts.size()) * static_cast<double>(job.settings.warmup + job.settings.draws);
  const double share =
      uses_surrogate(job.settings.method) ? (uses_gradient(job.settings.method) ? 0.6 : 0.3) : 1;
  return {iterations, share * iterations,
          "screening lets about as many proposals through as are accepted in the end"};
}

struct Findings {
  Vector theta;
  Timed first, second;
  std::vector<Slope> slopes;  // none if the model gives no gradient
  Bill bill;

  bool deterministic() const {
    return !second.outcome.answered() ||
           second.outcome.exact.log_likelihood == first.outcome.exact.log_likelihood;
  }
  bool gradient_agrees() const {
    return std::all_of(slopes.begin(), slopes.end(), [](const Slope& slope) { return slope.agrees(); });
  }
  bool good() const { return deterministic() && gradient_agrees(); }
};

nlohmann::ordered_json to_json(const Findings& found, const Job& job) {
  using Json = nlohmann::ordered_json;
  Json theta = Json::object(), slopes = Json::array();
  for (Index j = 0; j < found.theta.size(); ++j)
    theta[job.config.parameters[static_cast<std::size_t>(j)].name] = found.theta[j];
  for (const Slope& slope : found.slopes)
    slopes.push_back({{"parameter", slope.parameter},
                      {"model", slope.model},
                      {"differences", slope.differences ? Json(*slope.differences) : Json(nullptr)},
                      {"agrees", slope.agrees()}});
  return {{"good", found.good()},
          {"model",
           {{"door", door_key(job.config.model.door)},
            {"theta", theta},
            {"log_likelihood", found.first.outcome.exact.log_likelihood},
            {"deterministic", found.deterministic()}}},
          {"seconds_per_evaluation", {{"first", found.first.seconds}, {"second", found.second.seconds}}},
          {"gradient_check", found.slopes.empty() ? Json(nullptr) : slopes},
          {"bill",
           {{"iterations", found.bill.iterations},
            {"evaluations", found.bill.evaluations},
            {"workers", 1},
            {"seconds", found.bill.evaluations * found.second.seconds}}}};
}

void print(const Findings& found, const Job& job) {
  fmt::print("asked the model at the first chain's start:\n");
  for (Index j = 0; j < found.theta.size(); ++j)
    fmt::print("  {} = {:.6g}\n", job.config.parameters[static_cast<std::size_t>(j)].name, found.theta[j]);
  fmt::print("log-likelihood {:.8g}; the first evaluation took {}, the second {}\n",
             found.first.outcome.exact.log_likelihood, in_words(found.first.seconds),
             in_words(found.second.seconds));
  if (!found.deterministic())
    fmt::print(
        "the same point gave another number: the model is not deterministic, and Hunch needs it to be\n");
  for (const Slope& slope : found.slopes)
    fmt::print("  d/d {}: model {:.6g}, differences {}{}\n", slope.parameter, slope.model,
               slope.differences ? fmt::format("{:.6g}", *slope.differences) : "not known",
               slope.agrees() ? "" : "   <- they disagree");
  fmt::print("the bill: {:.0f} iterations, about {:.0f} evaluations, {} with one worker\n",
             found.bill.iterations, found.bill.evaluations,
             in_words(found.bill.evaluations * found.second.seconds));
  fmt::print("  (a guess: {})\n", found.bill.reason);
}

int check(const std::string& file, bool json) {
  const Config config = parse_config(text_of(file), file);
  const auto base = std::filesystem::absolute(file).parent_path();
  const Job job = make_job(config, base);
  const auto model = open_model(job, base, 1);
  const Want want = config.model.gradient ? Want::value_and_gradient : Want::value;

  const Vector theta = job.parameters.theta(job.starts.front());
  Timed first = ask(*model, theta, want);
  if (!first.outcome.answered()) {
    fmt::print(stderr, "hunch: the model gave no answer: {}\n", first.outcome.message);
    return exit_model_unavailable;
  }
  Timed second = ask(*model, theta, want);
  Findings found{theta, std::move(first), std::move(second), {}, bill_of(job)};
  if (const auto& gradient = found.first.outcome.exact.gradient)
    found.slopes = slopes_at(*model, job, theta, *gradient);
  if (json)
    fmt::print("{}\n", to_json(found, job).dump(2));
  else
    print(found, job);
  return found.good() ? exit_good : exit_failed;
}

int write_template(const std::string& path) {
  WholeFiles file(Overwrite::no);
  file.write(path, config_template());
  file.publish();
  fmt::print("{}: edit it, then `hunch check {}`, then `hunch run {}`\n", path, path, path);
  return exit_good;
}

}  // namespace

void add_check(CLI::App& app, Action& action) {
  auto* init = app.add_subcommand("init", "Write a commented config to start from");
  auto path = std::make_shared<std::string>("hunch.toml");
  init->add_option("file", *path, "Where to write it")->capture_default_str();
  init->callback([&action, path] { action = [path] { return write_template(*path); }; });

  auto* check_command =
      app.add_subcommand("check", "Talk to the model: an answer, its time, its gradient, the bill");
  auto config = std::make_shared<std::string>();
  check_command->add_option("config", *config, "TOML file")->required();
  auto json = std::make_shared<bool>(false);
  check_command->add_flag("--json", *json, "Print JSON");
  check_command->callback([&action, config, json] { action = [=] { return check(*config, *json); }; });
}

}  // namespace hunch::cli
