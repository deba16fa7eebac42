#include "hunch/evaluation/store.hpp"

#include <gmock/gmock.h>
#include <sqlite3.h>

#include <limits>
#include <memory>

#include "evaluation/scratch.hpp"
#include "hunch/core/numeric.hpp"

namespace hunch {
namespace {

using namespace std::string_literals;
using scratch::contents;
using scratch::epidemic;
using scratch::Folder;
using scratch::overwrite;
using scratch::said_by;
using scratch::same;
using testing::AllOf;
using testing::HasSubstr;

Record answer(const Vector& theta, Want want, double value) {
  Outcome outcome{OutcomeKind::value, {value, std::nullopt}, ""};
  if (want == Want::value_and_gradient) outcome.exact.gradient = 2 * theta;
  return {theta, want, 1, outcome, 0.5, 0};
}

// Somebody's other hands on the file.
void meddle(const std::filesystem::path& file, const std::string& sql) {
  sqlite3* connection = nullptr;
  ASSERT_EQ(sqlite3_open(file.c_str(), &connection), SQLITE_OK);
  char* said = nullptr;
  EXPECT_EQ(sqlite3_exec(connection, sql.c_str(), nullptr, nullptr, &said), SQLITE_OK) << (said ? said : "");
  sqlite3_free(said);
  sqlite3_close(connection);
}

std::string refusal(const std::filesystem::path& file, const Identity& identity = epidemic) {
  return said_by<StoreRefused>([&] { Store(file, identity, Durability::full); });
}

TEST(Store, GivesBackTheBitsItWasGiven) {
  const double subnormal = std::numeric_limits<double>::denorm_min();
  const Vector theta{{-0.0, 0.1 + 0.2, 3 * subnormal, -1.2345678901234567e-308, 1e308, 1.0 / 3}};
  const std::string odd = "two\nlines, a \0 byte, \xce\xb8 and no UTF-8: \xff"s;
  const std::vector<Record> records = {
      answer(theta, Want::value_and_gradient, -0.0),
      answer(-theta, Want::value, -subnormal),
      {2 * theta, Want::value, 1, {OutcomeKind::zero, {-infinity, std::nullopt}, ""}, 1e-7, 3},
      {3 * theta, Want::value, 1, {OutcomeKind::crash, {}, odd}, 12.25, 1},
      {3 * theta, Want::value, 2, {OutcomeKind::timeout, {}, "'; DROP TABLE evaluations; --"}, 600, 2},
      {3 * theta, Want::value_and_gradient, 1, {OutcomeKind::nan, {}, ""}, 0, 0},
      {4 * theta, Want::value, 1, {OutcomeKind::protocol, {}, "<b>"}, 0, 0},
      {5 * theta, Want::value, 1, {OutcomeKind::lost, {}, ""}, 0, 0}};
  Folder folder;
  { Store(folder / "s", epidemic, Durability::full).record(records); }
  const Store store(folder / "s", epidemic, Durability::full);
  ASSERT_EQ(store.size(), static_cast<Index>(records.size()));
  for (std::size_t i = 0; i < records.size(); ++i) EXPECT_TRUE(same(store.all()[i], records[i])) << i;
}

TEST(Store, OddSecondsDoNotSpoilARow) {
  Folder folder;
  for (double seconds : {std::nan(""), infinity, -0.0, 5e-324}) {
    Record record = answer(Vector{{1, seconds}}, Want::value, 1);
    record.seconds = seconds;
    Store(folder / "s", epidemic, Durability::full).record({record});
  }
  EXPECT_EQ(Store(folder / "s", epidemic, Durability::full).size(), 4);
}

TEST(Store, FindsOnlyAnswersThatHoldWhatIsWanted) {
  Folder folder;
  const Vector a{{1, 2}}, b{{3, 4}}, c{{5, 6}}, d{{7, 8}}, minus{{-0.0, 1}}, plus{{0.0, 1}};
  const auto expect = [&](const Store& store) {
    EXPECT_EQ(store.find(a, Want::value)->exact.log_likelihood, -1);
    EXPECT_FALSE(store.find(a, Want::value_and_gradient));
    EXPECT_EQ(store.find(b, Want::value)->exact.log_likelihood, -2);
    EXPECT_FALSE(store.find(b, Want::value)->exact.gradient);
    EXPECT_EQ(*store.find(b, Want::value_and_gradient)->exact.gradient, 2 * b);
    EXPECT_EQ(store.find(c, Want::value)->kind, OutcomeKind::zero);
    EXPECT_EQ(store.find(c, Want::value_and_gradient)->exact.log_likelihood, -infinity);
    EXPECT_FALSE(store.find(d, Want::value));
    EXPECT_EQ(store.failed_attempts(d, Want::value), 2);
    EXPECT_EQ(store.failed_attempts(d, Want::value_and_gradient), 0);
    EXPECT_EQ(store.last_failure(d, Want::value)->message, "second");
    EXPECT_TRUE(store.find(minus, Want::value));
    EXPECT_FALSE(store.find(plus, Want::value));
  };
  {
    Store store(folder / "s", epidemic, Durability::full);
    store.record({answer(a, Want::value, -1),
                  answer(b, Want::value_and_gradient, -2),
                  {c, Want::value, 1, {OutcomeKind::zero, {-infinity, std::nullopt}, ""}, 0, 0},
                  {d, Want::value, 1, {OutcomeKind::crash, {}, "first"}, 0, 0},
                  {d, Want::value, 2, {OutcomeKind::crash, {}, "second"}, 0, 0},
                  answer(minus, Want::value, 0)});
    expect(store);
  }
  expect(Store(folder / "s", epidemic, Durability::full));
}

// A chain went on with the first answer: a later one, from a model that varies, must not replace it in a
// replay.
TEST(Store, TheFirstAnswerStands) {
  Folder folder;
  const Vector theta{{1}};
  Store(folder / "s", epidemic, Durability::full)
      .record({answer(theta, Want::value, -1), answer(theta, Want::value_and_gradient, -2),
               answer(theta, Want::value, -3), answer(theta, Want::value_and_gradient, -4)});
  const Store store(folder / "s", epidemic, Durability::full);
  EXPECT_EQ(store.find(theta, Want::value)->exact.log_likelihood, -1);
  EXPECT_EQ(store.find(theta, Want::value_and_gradient)->exact.log_likelihood, -2);
}

TEST(Store, RefusesAnotherIdentityAndNamesTheFirstDifference) {
  Folder folder;
  { Store(folder / "s", epidemic, Durability::full).record({scratch::record_of(1)}); }
  const auto changed = [&](const std::function<void(Identity&)>& change) {
    Identity other = epidemic;
    change(other);
    return refusal(folder / "s", other);
  };
  EXPECT_THAT(changed([](Identity& i) {
                i[0].value = "gamma, beta";
                i[2].value = "0";
              }),
              HasSubstr("parameters: the store has \"beta, gamma\", this run has \"gamma, beta\""));
  EXPECT_THAT(changed([](Identity& i) { i[2].value = "5f3b"; }),
              HasSubstr("data: the store has \"5f3a\", this run has \"5f3b\""));
  EXPECT_THAT(changed([](Identity& i) { i[1].name = "url"; }),
              HasSubstr("has \"model\", this run has \"url\""));
  EXPECT_THAT(changed([](Identity& i) { i.pop_back(); }),
              HasSubstr("data: the store has \"5f3a\", this run has none"));
  EXPECT_THAT(changed([](Identity& i) {
                i.push_back({"noise", "1"});
              }),
              HasSubstr("noise: the store has none"));
  EXPECT_EQ(Store(folder / "s", epidemic, Durability::full).size(), 1);
}

TEST(Store, RefusesASecondOpenerOfTheSameProcess) {
  Folder folder;
  auto store = std::make_unique<Store>(folder / "s", epidemic, Durability::full);
  EXPECT_THAT(refusal(folder / "s"), HasSubstr("is in use by process " + std::to_string(::getpid())));
  EXPECT_THAT(said_by<StoreRefused>([&] { read_store(folder / "s"); }),
              HasSubstr("is in use by process " + std::to_string(::getpid())));
  store->record({scratch::record_of(1)});  // the refused ones have not taken its lock away
  EXPECT_THAT(refusal(folder / "s"), HasSubstr("is in use"));
  store.reset();
  EXPECT_EQ(Store(folder / "s", epidemic, Durability::full).size(), 1);
}

// Each byte of a row counts: flip one, find the row.
TEST(Store, NamesTheRowThatIsDamaged) {
  const std::vector<std::string> damages = {"theta = x'0000000000000000' || theta",
                                            "theta = x'01'",
                                            "want = 1 - want",
                                            "want = 2",
                                            "attempt = attempt + 1",
                                            "outcome = 'zero'",
                                            "outcome = 'ok'",
                                            "log_likelihood = NULL",
                                            "log_likelihood = randomblob(8)",
                                            "gradient = x''",
                                            "seconds = 9",
                                            "worker = 99",
                                            "message = 'fine'",
                                            "checksum = checksum + 1",
                                            "id = 50"};
  for (const std::string& damage : damages) {
    Folder folder;
    {
      Store store(folder / "s", epidemic, Durability::full);
      store.record(scratch::next_records(store, 20));
    }
    meddle(folder / "s", "DROP TRIGGER evaluations_stay; UPDATE evaluations SET " + damage +
                             " WHERE id = 11; CREATE TRIGGER evaluations_stay BEFORE UPDATE ON evaluations "
                             "BEGIN SELECT RAISE(ABORT, 'an evaluation is never changed'); END");
    // The schema must be letter by letter what it was, so the trigger goes back to its place.
    meddle(
        folder / "s",
        "PRAGMA writable_schema=ON; UPDATE sqlite_schema SET rowid = 90 WHERE name = 'evaluations_are_kept'; "
        "UPDATE sqlite_schema SET rowid = 91 WHERE name = 'evaluations_are_kept'; "
        "UPDATE sqlite_schema SET rowid = 89 WHERE name = 'evaluations_stay'");
    const std::string before = contents(folder / "s");
    EXPECT_THAT(refusal(folder / "s"), HasSubstr("row 11 is damaged or missing")) << damage;
    EXPECT_EQ(contents(folder / "s"), before) << damage;
  }
}

TEST(Store, RowsAreNeverChangedOrRemoved) {
  Folder folder;
  { Store(folder / "s", epidemic, Durability::full).record({scratch::record_of(1)}); }
  for (const char* sql : {"DELETE FROM evaluations", "UPDATE evaluations SET seconds = 1",
                          "DELETE FROM identity", "UPDATE identity SET value = ''"}) {
    sqlite3* connection = nullptr;
    ASSERT_EQ(sqlite3_open((folder / "s").c_str(), &connection), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(connection, sql, nullptr, nullptr, nullptr), SQLITE_CONSTRAINT) << sql;
    sqlite3_close(connection);
  }
}

TEST(Store, RefusesWhatIsNoStoreAndLeavesItAlone) {
  Folder folder;
  std::string sound;
  {
    Store store(folder / "s", epidemic, Durability::full);
    store.record(scratch::next_records(store, 300));
  }
  sound = contents(folder / "s");
  ASSERT_GT(sound.size(), 20u * 4096);
  Rng rng({3, 0, 0, Purpose::test});
  std::string garbage(5000, '\0'), scratched = sound;
  for (char& byte : garbage) byte = static_cast<char>(rng.bits());
  for (std::size_t i = 4096; i < scratched.size(); ++i) scratched[i] = static_cast<char>(rng.bits());
  const std::vector<std::string> impostors = {"",
                                              "x",
                                              "SQLite format 3",
                                              garbage,
                                              scratched,
                                              sound.substr(0, 50),
                                              sound.substr(0, 4096),
                                              sound.substr(0, sound.size() - 4096),
                                              sound.substr(0, sound.size() - 1000),
                                              sound.substr(4096)};
  for (std::size_t i = 0; i < impostors.size(); ++i) {
    overwrite(folder / "s", impostors[i]);
    refusal(folder / "s");
    said_by<StoreRefused>([&] { read_store(folder / "s"); });
    EXPECT_EQ(contents(folder / "s"), impostors[i]) << "impostor " << i;
  }
  overwrite(folder / "s", sound);
  EXPECT_EQ(scratch::good_rows(Store(folder / "s", epidemic, Durability::full).all()), 300);
}

// Any one byte of the file: either nothing of ours was touched, or it is refused. Never another number.
TEST(Store, NoFlippedByteBecomesANumber) {
  Folder folder;
  {
    Store store(folder / "s", epidemic, Durability::relaxed);
    store.record(scratch::next_records(store, 30));
  }
  const std::string sound = contents(folder / "s");
  Rng rng({4, 0, 0, Purpose::test});
  int refused = 0;
  for (int trial = 0; trial < 400; ++trial) {
    std::string flipped = sound;
    flipped[rng.below(sound.size())] ^= static_cast<char>(1 << rng.below(8));
    overwrite(folder / "s", flipped);
    try {
      const Store store(folder / "s", epidemic, Durability::relaxed);
      EXPECT_EQ(scratch::good_rows(store.all()), 30);
      EXPECT_EQ(store.size(), 30);
    } catch (const StoreRefused&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 100);
}

TEST(Store, RefusesADatabaseOfAnotherProgram) {
  Folder folder;
  meddle(folder / "other", "CREATE TABLE evaluations(id INTEGER PRIMARY KEY, theta BLOB)");
  const std::string before = contents(folder / "other");
  EXPECT_THAT(refusal(folder / "other"), HasSubstr("another program"));
  EXPECT_EQ(contents(folder / "other"), before);
  for (const char* sql : {"CREATE TABLE extra(x)", "CREATE INDEX i ON evaluations(want)",
                          "CREATE TRIGGER t AFTER INSERT ON evaluations BEGIN SELECT 1; END",
                          "DROP TRIGGER evaluations_stay", "CREATE VIEW v AS SELECT 1"}) {
    std::filesystem::remove(folder / "s");
    { Store(folder / "s", epidemic, Durability::full).record({scratch::record_of(1)}); }
    meddle(folder / "s", sql);
    EXPECT_THAT(refusal(folder / "s"), HasSubstr("schema is not that of a store")) << sql;
  }
  std::filesystem::remove(folder / "s");
  { Store(folder / "s", epidemic, Durability::full).record({scratch::record_of(1)}); }
  meddle(folder / "s", "PRAGMA user_version=2");
  EXPECT_THAT(refusal(folder / "s"), HasSubstr("it has format 2, this program reads format 1"));
}

// A journal without its store would be played into a new one.
TEST(Store, DoesNotStartOverBesideAJournal) {
  Folder folder;
  overwrite(folder / "s-journal", "left");
  EXPECT_THAT(refusal(folder / "s"), HasSubstr("s-journal is left"));
  EXPECT_FALSE(std::filesystem::exists(folder / "s"));
}

TEST(Store, TakesOverTheAnswersOfAnotherPriorOnly) {
  Folder folder;
  Identity narrow = epidemic, wide = epidemic, other = epidemic;
  narrow.push_back({"prior beta", "normal(0, 1)"});
  wide.push_back({"prior beta", "normal(0, 9)"});
  other[2].value = "77";
  {
    Store store(folder / "narrow", narrow, Durability::full);
    store.record(scratch::next_records(store, 14));
  }
  Store store(folder / "wide", wide, Durability::full);
  EXPECT_EQ(store.adopt(folder / "narrow"), 12);  // two of the fourteen had failed
  EXPECT_EQ(store.adopt(folder / "narrow"), 0);
  EXPECT_TRUE(
      same(*store.find(scratch::theta_of(3), Want::value_and_gradient), scratch::record_of(3).outcome));
  EXPECT_FALSE(store.last_failure(scratch::theta_of(7), Want::value));
  store.record({scratch::record_of(100)});
  for (const Record& row : store.all()) EXPECT_EQ(row.taken_over(), row.theta != scratch::theta_of(100));
  Store stranger(folder / "other", other, Durability::full);
  EXPECT_THAT(
      said_by<StoreRefused>([&] { stranger.adopt(folder / "narrow"); }),
      AllOf(HasSubstr("another likelihood"), HasSubstr("data: the store has \"5f3a\", this run has \"77\"")));
  EXPECT_EQ(stranger.size(), 0);
  said_by<StoreRefused>([&] { stranger.adopt(folder / "absent"); });
}

TEST(Store, ReadingAStoreTellsWhoseItIs) {
  Folder folder;
  {
    Store store(folder / "s", epidemic, Durability::full);
    store.record(scratch::next_records(store, 9));
  }
  const StoreContents read = read_store(folder / "s");
  EXPECT_EQ(read.identity, epidemic);
  EXPECT_EQ(scratch::good_rows(read.records), 9);
}

}  // namespace
}  // namespace hunch
