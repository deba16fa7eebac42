// hunch._core: the library as Python sees it. The package hunch around it is what users import.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <chrono>
#include <memory>
#include <optional>

#include "hunch/config/choices.hpp"
#include "hunch/model/umbridge_model.hpp"
#include "hunch/run/sample.hpp"
#include "interrupts.hpp"
#include "python_function.hpp"
#include "report.hpp"
#include "request.hpp"
#include "sampled.hpp"
#include "worker_model.hpp"

namespace py = pybind11;

namespace hunch::python {

namespace {

// Whatever Python gives as the model: a function here, one in worker processes, or the text of a config's
// table.
struct InProcess {
  Callables callables;
  Shape shape;
};
struct InWorkers {
  int nursery;  // a socket that becomes ours
  WorkerSettings settings;
};
using AskedModel = std::variant<InProcess, InWorkers, std::string>;

// Told of a run while it goes on. All of it is called with the GIL held, and seldom.
struct Listener {
  py::object on_progress;  // (iterations, of how many, evaluations, kept)
  py::object on_stopping;  // (evaluations under way)
};

// What the run calls while it goes on, without the GIL; it must not outlive its listener.
class Conversation {
 public:
  Conversation(const Listener& listener, const Interrupts& interrupts)
      : listener_(listener), interrupts_(interrupts) {}

  void see(const Progress& at) {
    const auto now = std::chrono::steady_clock::now();
    const bool over = at.iterations_done >= at.iterations_total;
    if (now < due_ && !over) return;
    due_ = now + std::chrono::milliseconds(100);
    const py::gil_scoped_acquire gil;
    listener_.on_progress(at.iterations_done, at.iterations_total, at.evaluations, at.kept);
  }

  bool interrupted() const {
    if (interrupts_.sigint() == Sigint::ours) return interrupts_.count() > 0;
    const py::gil_scoped_acquire gil;
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    return false;
  }

  Stopping stopping(int under_way) {
    if (interrupts_.count() == 0) return Stopping::not_yet;
    if (interrupts_.count() >= 2) return Stopping::at_once;
    // Told when asked again: by then it is true that nothing more begins.
    if (asked_ && !told_) {
      told_ = true;
      const py::gil_scoped_acquire gil;
      listener_.on_stopping(under_way);
    }
    asked_ = true;
    return Stopping::after_those_under_way;
  }

 private:
  const Listener& listener_;
  const Interrupts& interrupts_;
  std::chrono::steady_clock::time_point due_{};
  bool asked_ = false;
  bool told_ = false;
};

std::unique_ptr<Model> opened(const AskedModel& asked, const std::vector<SampleParameter>& parameters,
                              SampleOptions& options) {
  if (const auto* here = std::get_if<InProcess>(&asked))
    return std::make_unique<PythonFunction>(here->callables, here->shape);
  if (const auto* workers = std::get_if<InWorkers>(&asked))
    return std::make_unique<WorkerModel>(Descriptor(workers->nursery), workers->settings);
  const ModelConfig door = model_from(std::get<std::string>(asked));
  options.attempts = door.attempts;
  options.on_failure = name_of(door.on_failure);
  return open_door(door, parameters, options.workers);
}

SampleResult sample_remembered(Model& model, const std::vector<SampleParameter>& parameters,
                               const SampleOptions& options, Memory& memory) {
  RememberedModel remembered(model, memory);
  SampleResult result = sample(remembered, parameters, options);
  result.calls = remembered.calls();
  if (!options.directory) result.exported.evaluations = memory.table(result.draws.parameters());
  return result;
}

// What has a directory is remembered there; but what an earlier call had only in memory is free there too.
// The model ends with the GIL released: so do all waits.
SampleResult sample_asked(const AskedModel& asked, const std::vector<SampleParameter>& parameters,
                          SampleOptions options, Memory& memory) {
  const bool kept_on_disk = options.directory && memory.empty();
  const auto* table = std::get_if<std::string>(&asked);
  if (table && kept_on_disk) return sample(model_from(*table), parameters, options);
  const std::unique_ptr<Model> model = opened(asked, parameters, options);
  if (kept_on_disk) return sample(*model, parameters, options);
  return sample_remembered(*model, parameters, options, memory);
}

Sampled sample_for_python(const AskedModel& asked, const py::list& parameters, const py::dict& given,
                          const Listener& listener, Sigint sigint, std::shared_ptr<Memory> memory) {
  const std::vector<SampleParameter> list = parameters_of(parameters);
  SampleOptions options = options_of(given);
  if (!memory) memory = std::make_shared<Memory>();
  const Interrupts interrupts(sigint);
  Conversation conversation(listener, interrupts);
  options.on_progress = [&](const Progress& at) { conversation.see(at); };
  options.interrupted = [&] { return conversation.interrupted(); };
  options.stopping = [&](int under_way) { return conversation.stopping(under_way); };
  const py::gil_scoped_release waiting;
  return {sample_asked(asked, list, options, *memory), memory};
}

// One evaluation in a worker process: (kind, value, gradient or None, message).
py::tuple ask_for_worker(const InProcess& model, const std::vector<double>& theta, bool gradient) {
  const Vector point = Eigen::Map<const Vector>(theta.data(), static_cast<Index>(theta.size()));
  const Outcome outcome = ask(model.callables, point, gradient ? Want::value_and_gradient : Want::value);
  const bool judged = outcome.kind != OutcomeKind::crash && outcome.kind != OutcomeKind::protocol;
  py::object slopes = py::none();
  if (outcome.exact.gradient)
    slopes = py::cast(std::vector<double>(outcome.exact.gradient->begin(), outcome.exact.gradient->end()));
  return py::make_tuple(static_cast<int>(outcome.kind), outcome.exact.log_likelihood, slopes,
                        judged ? std::string() : outcome.message);
}

// The package's own exception classes, which Python code defines.
void raise(const char* name, const std::exception& error) {
  const py::object kind = py::module_::import("hunch._errors").attr(name);
  PyErr_SetString(kind.ptr(), error.what());
}

void translate(std::exception_ptr thrown) {
  try {
    if (thrown) std::rethrow_exception(thrown);
  } catch (const InputError& error) {
    raise("InputError", error);
  } catch (const ModelFailure& error) {
    raise("ModelFailed", error);
  } catch (const ModelUnavailable& error) {
    raise("ModelUnavailable", error);
  } catch (const StoreInUse& error) {
    raise("StoreInUse", error);
  } catch (const StoreRefused& error) {
    raise("StoreRefused", error);
  } catch (const StoreFailure& error) {
    raise("StoreFailed", error);
  } catch (const EvaluationsAbandoned& error) {
    PyErr_SetString(PyExc_KeyboardInterrupt, error.what());
  }
}

std::optional<py::object> unless_none(const py::object& object) {
  return object.is_none() ? std::nullopt : std::optional(object);
}

void bind_models(py::module_& module) {
  py::class_<InProcess>(module, "Function")
      .def(py::init([](const py::object& value, const py::object& both, const py::object& describe,
                       bool vectorized) {
             return InProcess{{unless_none(value), unless_none(both), describe},
                              vectorized ? Shape::many_points : Shape::one_point};
           }),
           py::arg("value"), py::arg("both"), py::arg("describe"), py::arg("vectorized"))
      .def("ask", ask_for_worker);
  py::class_<InWorkers>(module, "Workers")
      .def(py::init([](int nursery, int workers, bool gradient, std::optional<double> timeout) {
             return InWorkers{nursery, {workers, Capabilities{gradient}, timeout}};
           }),
           py::arg("nursery"), py::arg("workers"), py::arg("gradient"), py::arg("timeout"));
}

void bind_priors(py::module_& module) {
  py::class_<Prior>(module, "Prior", "What is believed about one parameter before any evaluation.")
      .def(py::init([](const std::string& text) { return parse_prior(text); }), py::arg("text"))
      .def("__repr__", [](const Prior& prior) { return to_text(prior); })
      .def("__str__", [](const Prior& prior) { return to_text(prior); })
      .def("__hash__", [](const Prior& prior) { return py::hash(py::str(to_text(prior))); })
      .def("__eq__", [](const Prior& prior, const Prior& other) { return prior == other; })
      .def("__eq__", [](const Prior&, const py::object&) { return false; })
      .def(
          "log_density", [](const Prior& prior, double theta) { return log_density(prior, theta); },
          py::arg("theta"), "Normalised; minus infinity outside the support.")
      .def(
          "quantile", [](const Prior& prior, double share) { return quantile(prior, share); },
          py::arg("share"), "The value with this probability below it.")
      .def_property_readonly("support", [](const Prior& prior) {
        const Support inside = support(prior);
        return py::make_tuple(inside.lower, inside.upper);
      });
  module.def("prior", prior_of, py::arg("family"), py::arg("arguments"), py::arg("lower"), py::arg("upper"));
}

}  // namespace

}  // namespace hunch::python

PYBIND11_MODULE(_core, module) {
  using namespace hunch::python;
  py::register_exception_translator(translate);
  module.attr("version") = HUNCH_VERSION;
  bind_priors(module);
  bind_models(module);
  py::class_<Memory, std::shared_ptr<Memory>>(module, "Memory");
  bind_sampled(module);
  module.def(
      "write_report",
      [](const std::string& folder, const std::string& file, double seconds,
         std::optional<std::string> name) {
        write_report_of({folder, file, seconds, std::move(name)});
      },
      py::arg("folder"), py::arg("file"), py::arg("seconds"), py::arg("name") = std::nullopt,
      py::call_guard<py::gil_scoped_release>());
  module.def(
      "sample",
      [](const AskedModel& model, const py::list& parameters, const py::dict& options,
         const py::object& on_progress, const py::object& on_stopping, bool heeds_interrupts,
         std::shared_ptr<Memory> memory) {
        const Listener listener{on_progress, on_stopping};
        return sample_for_python(model, parameters, options, listener,
                                 heeds_interrupts ? Sigint::ours : Sigint::left_alone, std::move(memory));
      },
      py::arg("model"), py::arg("parameters"), py::arg("options"), py::arg("on_progress"),
      py::arg("on_stopping"), py::arg("heeds_interrupts"), py::arg("memory") = nullptr);
}
