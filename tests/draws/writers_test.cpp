#include <gmock/gmock.h>
#include <netcdf.h>

#include <cstdlib>
#include <functional>

#include "draws/fresh_folder.hpp"
#include "draws/sample_export.hpp"
#include "hunch/draws/cmdstan_writer.hpp"
#include "hunch/draws/csv_writer.hpp"
#include "hunch/draws/getdist_writer.hpp"
#include "hunch/draws/netcdf_writer.hpp"

namespace hunch {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

using WritersTest = FreshFolder;
using Writer = std::function<void(const Export&, const std::filesystem::path&, Overwrite)>;

const std::vector<Writer> all_writers = {write_cmdstan, write_netcdf, write_getdist, write_csv};

Vector numbers(const std::string& line, char separator) {
  const std::vector<std::string> fields = split(line, separator);
  Vector out(static_cast<Index>(fields.size()));
  for (std::size_t i = 0; i < fields.size(); ++i)
    out(static_cast<Index>(i)) = std::strtod(fields[i].c_str(), nullptr);
  return out;
}

std::vector<std::string> without_comments(const std::string& text) {
  std::vector<std::string> lines;
  for (const std::string& line : split(text, '\n'))
    if (!line.starts_with('#')) lines.push_back(line);
  return lines;
}

Export constant_export(Index chains, Index length) {
  std::vector<ChainRecord> records;
  for (Index c = 0; c < chains; ++c) records.push_back({Vector::Constant(length, -1)});
  return {Draws({"x"}, std::vector<Matrix>(static_cast<std::size_t>(chains), Matrix::Ones(length, 1))),
          records};
}

TEST_F(WritersTest, CmdStanHeaderSaysWhatReadersLookFor) {
  write_cmdstan(sample_export(2, 5), folder_ / "out", Overwrite::no);
  EXPECT_THAT(files(), ElementsAre("out/chain_1.csv", "out/chain_2.csv"));
  const std::string text = text_of(folder_ / "out" / "chain_2.csv");
  EXPECT_THAT(text, StartsWith("# stan_version_major = 2\n"));
  for (const char* line :
       {"# model = ", "# method = sample", "num_samples = 5\n", "num_warmup = 30\n", "save_warmup = 0",
        "thin = 1", "algorithm = hmc", "engine = nuts", "metric = dense_e\n", "max_depth = 10",
        "\n# id = 2\n", "seed = 18446744073709551615\n", "# Adaptation terminated\n# Step size = 1\n",
        "# Elements of inverse mass matrix:\n# 0.33333333333333331, 0, ",
        "\n#  Elapsed Time: 2.250 seconds (Warm-up)\n#                10.250 seconds (Sampling)\n"
        "#                12.500 seconds (Total)\n"})
    EXPECT_THAT(text, HasSubstr(line));
  EXPECT_EQ(
      without_comments(text).front(),
      "lp__,accept_stat__,stepsize__,treedepth__,n_leapfrog__,divergent__,energy__,stage1_accept_prob__,"
      "evaluated__,beta,theta.1,theta.2,a_b,x_y,mu,b,chain,lp,if_,a_b_2");
}

TEST_F(WritersTest, CmdStanRowsGiveBackEveryBit) {
  const Export result = sample_export(3, 40);
  write_cmdstan(result, folder_, Overwrite::no);
  for (Index c = 0; c < 3; ++c) {
    const auto lines = without_comments(text_of(folder_ / ("chain_" + std::to_string(c + 1) + ".csv")));
    ASSERT_EQ(lines.size(), 41u);
    const ChainRecord& record = result.chains[static_cast<std::size_t>(c)];
    for (Index i = 0; i < 40; ++i) {
      const auto at = static_cast<std::size_t>(i);
      const Vector row = numbers(lines[at + 1], ',');
      EXPECT_EQ(row(0), record.log_posterior(i));
      EXPECT_EQ(row(1), record.accepted[at] ? 1 : 0);
      EXPECT_EQ(row(4), record.evaluated[at] ? 1 : 0);
      EXPECT_EQ(row(6), -record.log_posterior(i));
      EXPECT_EQ(row(7), record.stage1_probability(i));
      EXPECT_EQ(row(8), record.evaluated[at] ? 1 : 0);
      EXPECT_EQ(row.tail(row.size() - 9), Vector(result.draws.chain(c).row(i)));
    }
  }
}

TEST_F(WritersTest, CmdStanLeavesOutWhatWasNotRecorded) {
  Export result = constant_export(1, 2);
  result.method = "two words = #1";
  write_cmdstan(result, folder_, Overwrite::no);
  const std::string text = text_of(folder_ / "chain_1.csv");
  EXPECT_THAT(without_comments(text),
              ElementsAre("lp__,accept_stat__,stepsize__,treedepth__,n_leapfrog__,divergent__,energy__,x",
                          "-1,NaN,1,0,0,0,1,1", "-1,NaN,1,0,0,0,1,1"));
  EXPECT_THAT(text, HasSubstr("# hunch_method = two_words____1\n"));
  EXPECT_THAT(text, HasSubstr("inverse mass matrix:\n# NaN\n"));
}

TEST_F(WritersTest, GetDistWeightsAreTheLengthsOfRuns) {
  const Export result = sample_export(2, 200);
  write_getdist(result, folder_ / "root", Overwrite::no);
  EXPECT_THAT(files(), ElementsAre("root.paramnames", "root.ranges", "root_1.txt", "root_2.txt"));
  const auto rows = split(text_of(folder_ / "root_2.txt"), '\n');
  EXPECT_LT(rows.size(), 150u);
  Index draw = 0;
  for (const std::string& line : rows) {
    const Vector row = numbers(line, ' ');
    const auto weight = static_cast<Index>(row(0));
    ASSERT_GE(weight, 1);
    ASSERT_LE(draw + weight, 200);
    for (Index end = draw + weight; draw < end; ++draw) {
      EXPECT_EQ(row(1), -result.chains[1].log_posterior(draw));
      EXPECT_EQ(row.tail(row.size() - 2), Vector(result.draws.chain(1).row(draw)));
    }
    if (draw < 200) {
      EXPECT_NE(row.tail(row.size() - 2), Vector(result.draws.chain(1).row(draw))) << "a run was cut";
    }
  }
  EXPECT_EQ(draw, 200) << "the weights sum to the number of draws";
}

TEST_F(WritersTest, GetDistNamesAndLimitsAreReadable) {
  Export result = sample_export(1, 2, {"beta", "a b"});
  result.limits = {{0.5, infinity}, {std::nullopt, 2.0}};
  write_getdist(result, folder_ / "root", Overwrite::no);
  EXPECT_EQ(text_of(folder_ / "root.paramnames"), "beta\t\\mathrm{beta}\na_b\t\\mathrm{a\\_b}\n");
  EXPECT_EQ(text_of(folder_ / "root.ranges"), "beta 0.5 N\na_b N 2\n");
}

TEST_F(WritersTest, CsvQuotesWhatWouldSplitAField) {
  const Export result = sample_export(2, 3, {"a,b", "x\"y", "theta[1]", "µ", "<b>", "line\nbreak", "lp", ""});
  write_csv(result, folder_ / "draws.csv", Overwrite::no);
  const std::string header = "chain,draw,\"a,b\",\"x\"\"y\",theta[1],µ,<b>,\"line\nbreak\",lp_2,\"\",lp\n";
  const std::string text = text_of(folder_ / "draws.csv");
  ASSERT_THAT(text, StartsWith(header));
  const auto lines = split(text.substr(header.size()), '\n');
  ASSERT_EQ(lines.size(), 6u);
  for (Index line = 0; line < 6; ++line) {
    const Index c = line / 3, i = line % 3;
    const Vector row = numbers(lines[static_cast<std::size_t>(line)], ',');
    EXPECT_EQ(row(0), c + 1);
    EXPECT_EQ(row(1), i + 1);
    EXPECT_EQ(row.segment(2, 8), Vector(result.draws.chain(c).row(i)));
    EXPECT_EQ(row(10), result.chains[static_cast<std::size_t>(c)].log_posterior(i));
  }
}

TEST_F(WritersTest, NumbersThatAreNotFiniteAreSpelledForAllReaders) {
  Export result = constant_export(1, 3);
  result.draws = Draws({"x"}, {Vector{{std::numeric_limits<double>::quiet_NaN(), infinity, -infinity}}});
  write_csv(result, folder_ / "draws.csv", Overwrite::no);
  EXPECT_EQ(text_of(folder_ / "draws.csv"), "chain,draw,x,lp\n1,1,NaN,-1\n1,2,Inf,-1\n1,3,-Inf,-1\n");
}

TEST_F(WritersTest, TheSmallestAndTheLargestNumbersSurvive) {
  Export result = constant_export(1, 4);
  const Vector extremes{{5e-324, -1.7976931348623157e308, 0.1, 1 + 2.220446049250313e-16}};
  result.draws = Draws({"x"}, {extremes});
  write_csv(result, folder_ / "draws.csv", Overwrite::no);
  const auto lines = split(text_of(folder_ / "draws.csv"), '\n');
  for (Index i = 0; i < 4; ++i)
    EXPECT_EQ(numbers(lines[static_cast<std::size_t>(i) + 1], ',')(2), extremes(i));
}

TEST_F(WritersTest, AConstantChainIsOneRowOfGetDist) {
  write_getdist(constant_export(1, 500), folder_ / "root", Overwrite::no);
  EXPECT_EQ(text_of(folder_ / "root_1.txt"), "500 1 1\n");
}

TEST_F(WritersTest, EqualDrawsOfDifferentDensityAreNotMerged) {
  Export result = constant_export(1, 3);
  result.chains[0].log_posterior << -1, -2, -2;
  write_getdist(result, folder_ / "root", Overwrite::no);
  EXPECT_EQ(text_of(folder_ / "root_1.txt"), "1 1 1\n2 2 1\n");
}

TEST_F(WritersTest, EmptyChainsGiveFilesWithoutRows) {
  const Export result = constant_export(2, 0);
  write_csv(result, folder_ / "draws.csv", Overwrite::no);
  write_getdist(result, folder_ / "root", Overwrite::no);
  write_cmdstan(result, folder_ / "cmdstan", Overwrite::no);
  write_netcdf(result, folder_ / "draws.nc", Overwrite::no);
  EXPECT_EQ(text_of(folder_ / "draws.csv"), "chain,draw,x,lp\n");
  EXPECT_EQ(text_of(folder_ / "root_1.txt"), "");
  EXPECT_EQ(without_comments(text_of(folder_ / "cmdstan" / "chain_1.csv")).size(), 1u);
  int file = 0, group = 0, dimension = 0;
  std::size_t draws = 1;
  ASSERT_EQ(nc_open((folder_ / "draws.nc").c_str(), NC_NOWRITE, &file), NC_NOERR);
  ASSERT_EQ(nc_inq_grp_ncid(file, "posterior", &group), NC_NOERR);
  ASSERT_EQ(nc_inq_dimid(group, "draw", &dimension), NC_NOERR);
  ASSERT_EQ(nc_inq_dimlen(group, dimension, &draws), NC_NOERR);
  EXPECT_EQ(draws, 0u);
  nc_close(file);
}

TEST_F(WritersTest, NoWriterReplacesAFileUnasked) {
  const Export result = sample_export(1, 2);
  for (std::size_t w = 0; w < all_writers.size(); ++w) {
    const auto target = folder_ / std::to_string(w);
    all_writers[w](result, target, Overwrite::no);
    EXPECT_THROW(all_writers[w](result, target, Overwrite::no), InputError) << w;
    EXPECT_NO_THROW(all_writers[w](result, target, Overwrite::yes)) << w;
  }
  for (const std::string& name : files()) EXPECT_THAT(name, Not(HasSubstr(".part-")));
}

TEST_F(WritersTest, EveryWriterNamesThePathItCannotWrite) {
  for (const Writer& write : all_writers) try {
      write(sample_export(1, 2), folder_ / "no" / "such", Overwrite::yes);
      ADD_FAILURE() << "written into a folder that is not there";
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), HasSubstr((folder_ / "no").string()));
      EXPECT_THAT(error.what(), HasSubstr("No such file or directory"));
    }
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

TEST_F(WritersTest, FewerChainsLeaveNoneOfTheEarlierRun) {
  write_cmdstan(sample_export(3, 2), folder_ / "out", Overwrite::no);
  write_cmdstan(sample_export(1, 2), folder_ / "out", Overwrite::yes);
  EXPECT_THAT(files(), ElementsAre("out/chain_1.csv"));
}

TEST_F(WritersTest, ChainsOfUnequalLengthAreRefusedWhereReadersCannotTakeThem) {
  Export result{Draws({"x"}, {Matrix::Ones(3, 1), Matrix::Ones(2, 1)}),
                {{Vector::Zero(3)}, {Vector::Zero(2)}}};
  EXPECT_THROW(write_netcdf(result, folder_ / "a", Overwrite::no), InputError);
  EXPECT_THROW(write_cmdstan(result, folder_ / "b", Overwrite::no), InputError);
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
  write_csv(result, folder_ / "c", Overwrite::no);
  EXPECT_EQ(split(text_of(folder_ / "c"), '\n').size(), 6u);
}

TEST_F(WritersTest, PartsThatDoNotFitTogetherAreNotWritten) {
  const Export good = sample_export(2, 4);
  std::vector<Export> bad(7, good);
  bad[0].chains.pop_back();
  bad[1].chains[1].log_posterior.resize(3);
  bad[2].chains[1].accepted.clear();
  bad[3].chains[0].proposal_covariance = Matrix::Ones(2, 3);
  bad[4].limits.pop_back();
  bad[5].evaluations->outcome.pop_back();
  bad[6].warmup = Draws({"x"}, 2);
  for (std::size_t i = 0; i < bad.size(); ++i)
    for (const Writer& write : all_writers)
      EXPECT_THROW(write(bad[i], folder_ / "out", Overwrite::yes), std::logic_error) << i;
  EXPECT_THROW(write_csv({Draws({}, 2), {}}, folder_ / "out", Overwrite::yes), InputError);
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

}  // namespace hunch
