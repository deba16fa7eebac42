#include "hunch/draws/whole_files.hpp"

#include <gmock/gmock.h>

#include "draws/fresh_folder.hpp"
#include "hunch/core/types.hpp"

namespace hunch {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using WholeFilesTest = FreshFolder;

std::string refusal_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no refusal";
}

TEST_F(WholeFilesTest, NothingIsThereBeforePublishAndAllAfter) {
  WholeFiles files(Overwrite::no);
  files.make_folder(folder_ / "out");
  files.write(folder_ / "out" / "a", "first");
  files.write(folder_ / "out" / "b", "");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out" / "a"));
  files.publish();
  EXPECT_THAT(this->files(), ElementsAre("out/a", "out/b"));
  EXPECT_EQ(text_of(folder_ / "out" / "a"), "first");
}

TEST_F(WholeFilesTest, AnAbandonedSetLeavesNothingBehind) {
  {
    WholeFiles files(Overwrite::yes);
    files.make_folder(folder_ / "out");
    files.write(folder_ / "out" / "a", "first");
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

TEST_F(WholeFilesTest, AFileThatExistsIsRefusedAndUntouched) {
  write_text(folder_ / "a", "old");
  EXPECT_THAT(refusal_of([&] {
                WholeFiles files(Overwrite::no);
                files.write(folder_ / "b", "new");
                files.write(folder_ / "a", "new");
                files.publish();
              }),
              HasSubstr((folder_ / "a").string() + ": it exists already"));
  EXPECT_THAT(files(), ElementsAre("a"));
  EXPECT_EQ(text_of(folder_ / "a"), "old");
}

TEST_F(WholeFilesTest, OverwritingReplacesTheWholeFile) {
  write_text(folder_ / "a", "a long text of earlier days");
  WholeFiles files(Overwrite::yes);
  files.write(folder_ / "a", "new");
  EXPECT_EQ(text_of(folder_ / "a"), "a long text of earlier days");
  files.publish();
  EXPECT_EQ(text_of(folder_ / "a"), "new");
}

TEST_F(WholeFilesTest, NumberedFilesOfAnEarlierSetDoNotSurvive) {
  for (const char* name : {"chain_1.csv", "chain_9.csv", "chain_x.csv", "chain_.csv"})
    write_text(folder_ / name, "old");
  EXPECT_THAT(refusal_of([&] { WholeFiles(Overwrite::no).claim_numbered(folder_, "chain_", ".csv"); }),
              HasSubstr("exists already"));
  WholeFiles files(Overwrite::yes);
  files.claim_numbered(folder_, "chain_", ".csv");
  files.write(folder_ / "chain_1.csv", "new");
  files.publish();
  EXPECT_THAT(this->files(), ElementsAre("chain_.csv", "chain_1.csv", "chain_x.csv"));
  EXPECT_EQ(text_of(folder_ / "chain_1.csv"), "new");
}

TEST_F(WholeFilesTest, WhatCannotBeWrittenIsRefusedWithPathAndReason) {
  EXPECT_THAT(refusal_of([&] { WholeFiles(Overwrite::no).write(folder_ / "no" / "a", "x"); }),
              HasSubstr((folder_ / "no" / "a").string() + ": No such file or directory"));
  EXPECT_THAT(refusal_of([&] { WholeFiles(Overwrite::no).make_folder(folder_ / "no" / "deeper"); }),
              HasSubstr("No such file or directory"));
  write_text(folder_ / "file", "x");
  EXPECT_THAT(refusal_of([&] { WholeFiles(Overwrite::yes).make_folder(folder_ / "file"); }),
              HasSubstr((folder_ / "file").string()));
  std::filesystem::create_directory(folder_ / "folder");
  EXPECT_THAT(refusal_of([&] {
                WholeFiles files(Overwrite::yes);
                files.write(folder_ / "b", "x");
                files.write(folder_ / "folder", "x");
                files.publish();
              }),
              HasSubstr("it is a directory"));
  EXPECT_THAT(files(), ElementsAre("file"));
}

// /dev/full takes no byte, as a full disk does.
TEST_F(WholeFilesTest, AFullDiskIsToldAndLeavesTheOldFile) {
  write_text(folder_ / "a", "old");
  const auto write_over = [&] {
    WholeFiles files(Overwrite::yes);
    const std::filesystem::path temporary = files.stage(folder_ / "a");
    std::filesystem::remove(temporary);
    std::filesystem::create_symlink("/dev/full", temporary);
    files.write(folder_ / "a", "new");
    files.publish();
  };
  try {
    write_over();
    FAIL() << "nothing was told";
  } catch (const InputError& error) {
    FAIL() << "a full disk is no mistake of the caller's: " << error.what();
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), HasSubstr((folder_ / "a").string() + ": No space left on device"));
  }
  EXPECT_EQ(text_of(folder_ / "a"), "old");
  EXPECT_THAT(files(), ElementsAre("a"));
}

}  // namespace hunch
