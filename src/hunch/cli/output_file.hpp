// OutputFile: a result file that is there whole or not at all.
#pragma once

#include <string>

namespace hunch::cli {

// Opened at once, so that a path that cannot be written is refused before hours of work; the text arrives
// under a temporary name beside it and is renamed when complete.
class OutputFile {
 public:
  explicit OutputFile(std::string path);  // throws InputError
  ~OutputFile();                          // removes the temporary file if write() was not reached
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(const std::string& text);  // throws std::runtime_error, naming path and reason

 private:
  std::string path_;
  std::string temporary_;
  bool written_ = false;
};

}  // namespace hunch::cli
