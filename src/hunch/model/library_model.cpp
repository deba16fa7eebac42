#include "hunch/model/library_model.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <exception>
#include <limits>
#include <mutex>
#include <string>
#include <utility>

#include "hunch/model/answer.hpp"
#include "hunch/model/hunch_model.h"

namespace hunch {

namespace {

using LogLikelihood = decltype(&hunch_model_log_likelihood);
using Number = decltype(&hunch_model_abi);

// A loaded library, unloaded at its end.
class Library {
 public:
  explicit Library(const std::filesystem::path& path) : path_(path.string()) {
    // An absolute path: a bare file name would be searched for among the system's libraries.
    handle_ = dlopen(std::filesystem::absolute(path).c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_ == nullptr)
      throw InputError(fmt::format("library {}: cannot be loaded: {}", path_, dlerror()));
  }
  ~Library() { dlclose(handle_); }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  const std::string& path() const { return path_; }

  template <class Function>
  Function optional_function(const char* name) const {
    return reinterpret_cast<Function>(dlsym(handle_, name));
  }

  template <class Function>
  Function function(const char* name) const {
    if (const auto found = optional_function<Function>(name)) return found;
    throw InputError(fmt::format("library {}: the function {} is missing", path_, name));
  }

  bool says_yes(const char* name) const {
    const auto asked = optional_function<Number>(name);
    return asked != nullptr && asked() != 0;
  }

 private:
  std::string path_;
  void* handle_;
};

class LibraryModel final : public Model {
 public:
  LibraryModel(const std::filesystem::path& path, Index dimension) : library_(path), dimension_(dimension) {
    const int abi = library_.function<Number>("hunch_model_abi")();
    if (abi != HUNCH_MODEL_ABI)
      throw InputError(
          fmt::format("library {}: interface version {}, expected {}", path.string(), abi, HUNCH_MODEL_ABI));
    const int takes = library_.function<Number>("hunch_model_dimension")();
    if (takes != 0 && takes != dimension)
      throw InputError(fmt::format("library {}: hunch_model_dimension says {}, there are {} parameters",
                                   path.string(), takes, dimension));
    log_likelihood_ = library_.function<LogLikelihood>("hunch_model_log_likelihood");
    gradient_ = library_.says_yes("hunch_model_has_gradient");
    thread_safe_ = library_.says_yes("hunch_model_thread_safe");
  }

  Capabilities capabilities() const override { return {gradient_}; }

  Outcome evaluate(const Vector& theta, Want want) override {
    std::unique_lock lock(one_at_a_time_, std::defer_lock);
    if (!thread_safe_) lock.lock();
    try {
      return call(theta, want);
    } catch (const std::exception& error) {
      return {OutcomeKind::crash, {}, error.what()};
    } catch (...) {
      return {OutcomeKind::crash, {}, "an unknown exception left the library"};
    }
  }

 private:
  Outcome call(const Vector& theta, Want want) const {
    // What the library leaves unwritten shows as NaN, never as a number from an earlier call.
    Exact exact{std::numeric_limits<double>::quiet_NaN(), std::nullopt};
    if (want == Want::value_and_gradient && gradient_)
      exact.gradient = Vector::Constant(dimension_, std::numeric_limits<double>::quiet_NaN());
    std::array<char, 1024> message{};
    const int failure =
        log_likelihood_(theta.data(), static_cast<int>(dimension_), &exact.log_likelihood,
                        exact.gradient ? exact.gradient->data() : nullptr, message.data(), message.size());
    if (failure == 0) return judge(std::move(exact), dimension_, want);
    message.back() = '\0';
    return {OutcomeKind::crash,
            {},
            fmt::format("the library returned {}: {}", failure, quoted_beginning(message.data()))};
  }

  Library library_;
  Index dimension_;
  LogLikelihood log_likelihood_ = nullptr;
  bool gradient_ = false;
  bool thread_safe_ = false;
  std::mutex one_at_a_time_;
};

}  // namespace

std::unique_ptr<Model> open_library(const std::filesystem::path& path, Index dimension) {
  return std::make_unique<LibraryModel>(path, dimension);
}

}  // namespace hunch
