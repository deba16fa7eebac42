// What the store promises when its process is killed, its disk is full, or any one call of the disk fails.
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "evaluation/scratch.hpp"
#include "hunch/evaluation/evaluator.hpp"

namespace hunch {
namespace {

using scratch::epidemic;
using scratch::Folder;
using scratch::good_rows;
using scratch::next_records;
using scratch::said_by;
using testing::AllOf;
using testing::HasSubstr;

// A child process that runs `work` with a pipe to tell us numbers, and never returns into the test.
class Child {
 public:
  explicit Child(const std::function<void(int pipe)>& work) {
    int ends[2];
    if (::pipe(ends) != 0) throw std::runtime_error("no pipe");
    process_ = ::fork();
    if (process_ == 0) {
      ::close(ends[0]);
      try {
        work(ends[1]);
      } catch (...) {
        ::_exit(9);
      }
      ::_exit(0);
    }
    ::close(ends[1]);
    read_ = ends[0];
  }
  ~Child() {
    ::close(read_);
    if (process_ > 0) kill();
  }

  pid_t process() const { return process_; }
  std::optional<Index> heard() {  // the next number; nothing at the end
    Index number;
    return ::read(read_, &number, sizeof number) == sizeof number ? std::optional(number) : std::nullopt;
  }
  void kill() {
    ::kill(process_, SIGKILL);
    join();
  }
  int join() {
    int status = 0;
    ::waitpid(process_, &status, 0);
    process_ = 0;
    return status;
  }

 private:
  pid_t process_;
  int read_;
};

void tell(int pipe, Index number) {
  if (::write(pipe, &number, sizeof number) != sizeof number) ::_exit(8);
}

class SurvivesKills : public testing::TestWithParam<Durability> {};

// A new file every tenth kill. Its making is interrupted too; later kills find rows, however slow the
// machine.
TEST_P(SurvivesKills, EveryAcknowledgedRowIsThere) {
  Folder folder;
  Index total = 0, killed_amid = 0;
  for (std::uint64_t kill = 0; kill < 60; ++kill) {
    Rng rng({21, static_cast<std::uint32_t>(GetParam()), kill, Purpose::test});
    const std::filesystem::path file = folder / std::to_string(kill / 10);
    Child child([&](int pipe) {
      Store store(file, epidemic, GetParam());
      for (Index i = 0;; ++i) {
        store.record(next_records(store, 1 + i % 4));
        tell(pipe, store.size());
      }
    });
    const bool newborn = kill % 10 < 2;
    Index acknowledged = newborn ? 0 : child.heard().value_or(0);
    std::this_thread::sleep_for(std::chrono::microseconds(rng.below(newborn ? 12000 : 40000)));
    child.kill();
    while (const auto number = child.heard()) acknowledged = *number;
    if (std::filesystem::exists(file.string() + "-journal")) ++killed_amid;
    const Store store(file, epidemic, GetParam());
    EXPECT_GE(store.size(), acknowledged) << "kill " << kill;
    EXPECT_EQ(good_rows(store.all()), store.size()) << "kill " << kill;
    total += acknowledged;
  }
  EXPECT_GT(total, 60);
  EXPECT_GT(killed_amid, 10);
}

INSTANTIATE_TEST_SUITE_P(Durabilities, SurvivesKills, testing::Values(Durability::full, Durability::relaxed),
                         [](const auto& each) {
                           return each.param == Durability::full ? "full" : "relaxed";
                         });

TEST(Store, RefusesASecondProcessAtOnceAndNamesTheFirst) {
  Folder folder;
  Child holder([&](int pipe) {
    Store store(folder / "s", epidemic, Durability::full);
    store.record(next_records(store, 3));
    tell(pipe, store.size());
    ::pause();
  });
  ASSERT_EQ(holder.heard(), 3);
  const auto begin = std::chrono::steady_clock::now();
  const std::string said = said_by<StoreRefused>([&] { Store(folder / "s", epidemic, Durability::full); });
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(2));
  EXPECT_THAT(said, HasSubstr("is in use by process " + std::to_string(holder.process()) + " "));
  EXPECT_EQ(said.find('\n'), std::string::npos);
  EXPECT_THAT(said_by<StoreRefused>([&] { read_store(folder / "s"); }),
              HasSubstr("is in use by process " + std::to_string(holder.process())));
  holder.kill();
  EXPECT_EQ(Store(folder / "s", epidemic, Durability::full).size(), 3);
}

// No file of this process may grow beyond `bytes`, as on a full disk, while this lives.
class FullDisk {
 public:
  explicit FullDisk(rlim_t bytes) : handler_(::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FullDisk() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    ::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_;
  sighandler_t handler_;
};

TEST(Store, FullDiskStopsAtTheFirstFailedCommitAndLosesNothing) {
  for (Durability durability : {Durability::full, Durability::relaxed}) {
    Folder folder;
    Index acknowledged = 0;
    {
      Store store(folder / "s", epidemic, durability);
      const FullDisk full(100'000);
      const auto fill = [&] {
        while (store.size() < 2000) {
          store.record(next_records(store, 3));
          acknowledged = store.size();
        }
      };
      EXPECT_THAT(said_by<StoreFailure>(fill), AllOf(HasSubstr("nothing that was acknowledged is lost"),
                                                     HasSubstr("free space and resume")));
      EXPECT_GT(acknowledged, 50);
      said_by<StoreFailure>([&] { store.record(next_records(store, 1)); });
    }
    {
      Store store(folder / "s", epidemic, durability);
      EXPECT_GE(store.size(), acknowledged);
      EXPECT_EQ(good_rows(store.all()), store.size());
      store.record(next_records(store, 50));
    }
    const Store store(folder / "s", epidemic, durability);
    EXPECT_EQ(good_rows(store.all()), store.size());
    EXPECT_GE(store.size(), acknowledged + 50);
  }
}

TEST(Store, FailedStoreStaysFailedWhenSpaceIsBack) {
  Folder folder;
  Store store(folder / "s", epidemic, Durability::full);
  {
    const FullDisk full(50'000);
    said_by<StoreFailure>([&] { store.record(next_records(store, 500)); });
  }
  said_by<StoreFailure>([&] { store.record(next_records(store, 1)); });
}

TEST(Store, CannotBeMadeOnAFullDiskAndThenCan) {
  Folder folder;
  {
    const FullDisk full(0);
    said_by<StoreFailure>([&] { Store(folder / "s", epidemic, Durability::full); });
  }
  Store store(folder / "s", epidemic, Durability::full);
  store.record(next_records(store, 2));
}

TEST(Evaluator, ReturnsNothingThatWasNotRecorded) {
  Folder folder;
  std::vector<Vector> thetas;
  for (Index i = 1; i <= 2000; ++i) thetas.push_back(scratch::theta_of(i));
  std::atomic<int> running = 0;
  FunctionModel model(
      [&](const Vector& theta, Want) {
        ++running;
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        --running;
        return Exact{theta.sum(), std::nullopt};
      },
      {.gradient = false});
  Store store(folder / "s", epidemic, Durability::full);
  Evaluator evaluator(model, {.workers = 4, .store = &store});
  const FullDisk full(60'000);
  said_by<StoreFailure>([&] { evaluator(thetas, Want::value); });
  EXPECT_EQ(running, 0);
  EXPECT_GT(store.size(), 0);
  EXPECT_LT(evaluator.evaluations(), 2000);  // it did not go on paying for what cannot be kept
  said_by<StoreFailure>([&] { evaluator({scratch::theta_of(5000)}, Want::value); });
}

// Root may write anywhere, so the attempt is made as nobody.
TEST(Store, ReadOnlyFolderIsRefusedInOneLine) {
  Folder folder;
  { Store(folder / "s", epidemic, Durability::full).record({scratch::record_of(1)}); }
  ::chmod(folder.path().c_str(), 0555);
  for (const char* name : {"s", "new"}) {
    Child child([&](int pipe) {
      if (::geteuid() == 0 && ::seteuid(65534) != 0) ::_exit(7);
      try {
        Store(folder / name, epidemic, Durability::full);
      } catch (const StoreRefused& refusal) {
        const std::string said = refusal.what();
        tell(pipe, said.find("cannot write") != std::string::npos && said.find('\n') == std::string::npos);
      }
    });
    EXPECT_EQ(child.heard(), 1) << name;
    EXPECT_EQ(child.join(), 0);
  }
  ::chmod(folder.path().c_str(), 0755);
  EXPECT_EQ(Store(folder / "s", epidemic, Durability::full).size(), 1);
}

}  // namespace
}  // namespace hunch
