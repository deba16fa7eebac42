#include "hunch/cli/output_file.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <utility>

#include "hunch/core/types.hpp"

namespace hunch::cli {

OutputFile::OutputFile(std::string path)
    : path_(std::move(path)), temporary_(path_ + ".part-" + std::to_string(getpid())) {
  errno = 0;
  if (!std::ofstream(temporary_)) {
    const std::string reason = std::strerror(errno);
    throw InputError("cannot write " + path_ + ": " + reason +
                     "; choose a file in a directory that exists and is yours");
  }
}

OutputFile::~OutputFile() {
  if (!written_) std::remove(temporary_.c_str());
}

void OutputFile::write(const std::string& text) {
  std::ofstream file(temporary_, std::ios::binary);
  file << text;
  file.close();
  if (!file || std::rename(temporary_.c_str(), path_.c_str()) != 0)
    throw std::runtime_error("cannot write " + path_ + ": " + std::strerror(errno));
  written_ = true;
}

}  // namespace hunch::cli
