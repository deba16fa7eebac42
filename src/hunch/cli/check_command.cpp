#include <fmt/core.h>

#include <chrono>
#include <cmath>
#include <memory>

#include "hunch/cli/commands.hpp"
#include "hunch/config/config.hpp"
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

// The model's gradient beside central differences, one parameter after the other; costs two evaluations each.
bool gradient_agrees(Model& model, const Job& job, const Vector& theta, const Vector& gradient) {
  bool good = true;
  for (Index j = 0; j < theta.size(); ++j) {
    const double step = 1e-5 * std::max(1e-3, std::abs(theta[j]));
    Vector up = theta, down = theta;
    up[j] += step;
    down[j] -= step;
    const Outcome above = model.evaluate(up, Want::value), below = model.evaluate(down, Want::value);
    if (above.kind != OutcomeKind::value || below.kind != OutcomeKind::value) continue;
    const double difference = (above.exact.log_likelihood - below.exact.log_likelihood) / (2 * step);
    const bool agrees = std::abs(difference - gradient[j]) <= 1e-3 * std::max(1.0, std::abs(difference));
    fmt::print("  d/d {}: model {:.6g}, differences {:.6g}{}\n", job.config.parameters[j].name, gradient[j],
               difference, agrees ? "" : "   <- they disagree");
    good = good && agrees;
  }
  return good;
}

int check(const std::string& file) {
  const Config config = parse_config(text_of(file), file);
  const auto base = std::filesystem::absolute(file).parent_path();
  const Job job = make_job(config, base);
  const auto model = open_model(job, base, 1);
  const Want want = config.model.gradient ? Want::value_and_gradient : Want::value;

  const Vector theta = job.parameters.theta(job.starts.front());
  fmt::print("asking the model at the first chain's start:\n");
  for (Index j = 0; j < theta.size(); ++j)
    fmt::print("  {} = {:.6g}\n", job.config.parameters[j].name, theta[j]);
  const Timed first = ask(*model, theta, want);
  if (!first.outcome.answered()) {
    fmt::print(stderr, "hunch: the model gave no answer: {}\n", first.outcome.message);
    return exit_model_unavailable;
  }
  const Timed second = ask(*model, theta, want);
  fmt::print("log-likelihood {:.8g}; the first evaluation took {}, the second {}\n",
             first.outcome.exact.log_likelihood, in_words(first.seconds), in_words(second.seconds));
  bool good = true;
  if (second.outcome.answered() &&
      second.outcome.exact.log_likelihood != first.outcome.exact.log_likelihood) {
    fmt::print(
        "the same point gave another number: the model is not deterministic, and Hunch needs it to be\n");
    good = false;
  }
  if (first.outcome.exact.gradient)
    good = gradient_agrees(*model, job, theta, *first.outcome.exact.gradient) && good;

  const double iterations =
      static_cast<double>(job.starts.size()) * static_cast<double>(job.settings.warmup + job.settings.draws);
  const double share =
      uses_surrogate(job.settings.method) ? (uses_gradient(job.settings.method) ? 0.6 : 0.3) : 1;
  fmt::print("the bill: {:.0f} iterations, about {:.0f} evaluations, {} with one worker\n", iterations,
             share * iterations, in_words(share * iterations * second.seconds));
  fmt::print("  (a guess: screening lets about as many proposals through as are accepted in the end)\n");
  return good ? exit_good : exit_failed;
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
  check_command->callback([&action, config] { action = [config] { return check(*config); }; });
}

}  // namespace hunch::cli
