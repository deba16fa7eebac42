// NetcdfFile: a netCDF-4 file under construction, where every failure is an InputError that names the file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "hunch/core/types.hpp"

namespace hunch {

class NetcdfGroup;

class NetcdfFile {
 public:
  // Creates `temporary`; errors speak of `target`, the name it is to have.
  NetcdfFile(const std::filesystem::path& temporary, std::filesystem::path target);
  ~NetcdfFile();
  NetcdfFile(const NetcdfFile&) = delete;
  NetcdfFile& operator=(const NetcdfFile&) = delete;

  NetcdfGroup root() const;
  void close();  // writes what is still in memory
  void check(int status) const;

 private:
  std::filesystem::path target_;
  int id_ = 0;
  bool open_ = false;
};

// A dimension or a variable is named by the number that the library gave it. Values of several dimensions are
// in C order, the last running fastest.
class NetcdfGroup {
 public:
  NetcdfGroup(const NetcdfFile& file, int id) : file_(&file), id_(id) {}

  NetcdfGroup group(const std::string& name) const;
  int dimension(const std::string& name, Index size) const;

  int numbers(const std::string& name, const std::vector<int>& dimensions, const double* values) const;
  int booleans(const std::string& name, const std::vector<int>& dimensions,
               const std::vector<bool>& values) const;
  int texts(const std::string& name, const std::vector<int>& dimensions,
            const std::vector<std::string>& values) const;
  // A dimension, and the variable of its name that counts 0, 1, ..
  int counted_dimension(const std::string& name, Index size) const;

  void attribute(const std::string& name, const std::string& text) const;
  void attribute(const std::string& name, double value) const;
  void attribute(const std::string& name, std::int64_t value) const;
  void attribute(const std::string& name, std::uint64_t value) const;
  void attribute_of(int variable, const std::string& name, const std::string& text) const;

 private:
  int variable(const std::string& name, int type, const std::vector<int>& dimensions) const;

  const NetcdfFile* file_;
  int id_;
};

}  // namespace hunch
