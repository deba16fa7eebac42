#include <fmt/format.h>

#include "hunch/model/answer.hpp"
#include "hunch/model/program.hpp"
#include "hunch/model/seats.hpp"

namespace hunch {

namespace {

// Long-lived processes, started when first needed. One that crashed, was late or spoke out of turn is
// replaced.
class WorkerModel final : public Model {
 public:
  explicit WorkerModel(Program program)
      : program_(std::move(program)),
        seats_(static_cast<std::size_t>(program_.settings.instances)),
        workers_(static_cast<std::size_t>(program_.settings.instances)) {}

  ~WorkerModel() override {
    std::vector<ChildProcess*> living;
    for (const auto& worker : workers_)
      if (worker) living.push_back(worker.get());
    if (!living.empty()) ChildProcess::end(living, ChildProcess::Manner::patient);
  }

  Capabilities capabilities() const override { return program_.settings.capabilities; }

  void cancel() override { cancelled_.request_stop(); }

  Outcome evaluate(const Vector& theta, Want want) override {
    const Seats::Seat seat(seats_);
    if (cancelled_.stop_requested()) return abandoned();
    auto& worker = workers_[seat.number()];
    if (worker) {
      worker->listen();
      if (worker->exited()) worker.reset();
    }
    const bool kept = worker != nullptr;
    Outcome outcome = ask_living(worker, theta, want);
    // One that answered before and ended without reading this question died idle, which says nothing about
    // theta.
    const bool died_idle = kept && outcome.kind == OutcomeKind::crash && worker->read_nothing();
    if (died_idle) worker.reset();
    if (died_idle) outcome = ask_living(worker, theta, want);
    if (!outcome.answered() && outcome.kind != OutcomeKind::nan) worker.reset();
    return outcome;
  }

 private:
  // Starts the worker if there is none.
  Outcome ask_living(std::unique_ptr<ChildProcess>& worker, const Vector& theta, Want want) const {
    try {
      if (!worker) worker = std::make_unique<ChildProcess>(program_.launch);
    } catch (const StartFailure& failure) {
      return {OutcomeKind::lost, {}, fmt::format("the program could not be started: {}", failure.what())};
    }
    return ask(*worker, theta, want);
  }

  Outcome ask(ChildProcess& worker, const Vector& theta, Want want) const {
    if (!blank(worker.output()))
      return failed(
          OutcomeKind::protocol,
          fmt::format("the program wrote {} without being asked", quoted_beginning(worker.output())), worker);
    worker.output().clear();
    switch (worker.exchange(program_.question(theta), ChildProcess::Goal::line, program_.deadline(),
                            cancelled_.get_token())) {
      case ChildProcess::Stop::line:
        return answer(worker, theta.size(), want);
      case ChildProcess::Stop::exit:
        return failed(OutcomeKind::crash,
                      fmt::format("the program ended with {} before it answered", worker.farewell()), worker);
      case ChildProcess::Stop::closed:
        return failed(OutcomeKind::protocol, "the program closed its output without an answer", worker);
      case ChildProcess::Stop::flood:
        return failed(
            OutcomeKind::protocol,
            fmt::format("the program wrote more than 1 MiB without an end of line, beginning with {}",
                        quoted_beginning(worker.output())),
            worker);
      case ChildProcess::Stop::cancelled:
        return abandoned();
      case ChildProcess::Stop::deadline:
        break;
    }
    const auto said = worker.output().empty()
                          ? std::string("nothing (does it flush its output after each line?)")
                          : quoted_beginning(worker.output());
    return failed(OutcomeKind::timeout,
                  fmt::format("no answer within {:g} s; so far the program wrote {}",
                              program_.settings.timeout_seconds, said),
                  worker);
  }

  // Two answers to one question are refused: the second would be taken for the answer to the next one.
  static Outcome answer(ChildProcess& worker, Index dimension, Want want) {
    worker.listen();
    std::string& output = worker.output();
    const auto end = output.find('\n');
    const std::string_view rest = std::string_view(output).substr(end + 1);
    if (!blank(rest))
      return failed(
          OutcomeKind::protocol,
          fmt::format("the program wrote more than one line, beginning with {}", quoted_beginning(output)),
          worker);
    const Outcome outcome = read_answer(std::string_view(output).substr(0, end), dimension, want);
    output.clear();
    return outcome.answered() ? outcome : failed(outcome.kind, outcome.message, worker);
  }

  static bool blank(std::string_view text) {
    return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
  }

  Program program_;
  Seats seats_;
  std::stop_source cancelled_;
  std::vector<std::unique_ptr<ChildProcess>> workers_;  // one per seat, each touched only by who sits there
};

}  // namespace

std::unique_ptr<Model> make_worker(Program program) {
  return std::make_unique<WorkerModel>(std::move(program));
}

}  // namespace hunch
