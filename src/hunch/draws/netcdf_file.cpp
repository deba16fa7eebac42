#include "hunch/draws/netcdf_file.hpp"

#include <netcdf.h>

#include <numeric>
#include <utility>

#include "hunch/draws/parameter_names.hpp"

namespace hunch {

NetcdfFile::NetcdfFile(const std::filesystem::path& temporary, std::filesystem::path target)
    : target_(std::move(target)) {
  check(nc_create(temporary.c_str(), NC_NETCDF4 | NC_CLOBBER, &id_));
  open_ = true;
}

NetcdfFile::~NetcdfFile() {
  if (open_) nc_close(id_);
}

NetcdfGroup NetcdfFile::root() const {
  return {*this, id_};
}

void NetcdfFile::close() {
  open_ = false;
  check(nc_close(id_));
}

void NetcdfFile::check(int status) const {
  if (status != NC_NOERR) throw InputError("cannot write " + target_.string() + ": " + nc_strerror(status));
}

NetcdfGroup NetcdfGroup::group(const std::string& name) const {
  int id = 0;
  file_->check(nc_def_grp(id_, name.c_str(), &id));
  return {*file_, id};
}

// Size 0 makes it a dimension that could grow; netCDF has no other empty one, and readers see size 0.
int NetcdfGroup::dimension(const std::string& name, Index size) const {
  int id = 0;
  file_->check(nc_def_dim(id_, name.c_str(), static_cast<std::size_t>(size), &id));
  return id;
}

int NetcdfGroup::variable(const std::string& name, int type, const std::vector<int>& dimensions) const {
  int id = 0;
  file_->check(
      nc_def_var(id_, name.c_str(), type, static_cast<int>(dimensions.size()), dimensions.data(), &id));
  return id;
}

int NetcdfGroup::numbers(const std::string& name, const std::vector<int>& dimensions,
                         const double* values) const {
  const int id = variable(name, NC_DOUBLE, dimensions);
  file_->check(nc_put_var_double(id_, id, values));
  return id;
}

// netCDF has no booleans; xarray and ArviZ know them by this attribute.
int NetcdfGroup::booleans(const std::string& name, const std::vector<int>& dimensions,
                          const std::vector<bool>& values) const {
  const int id = variable(name, NC_BYTE, dimensions);
  attribute_of(id, "dtype", "bool");
  const std::vector<signed char> bytes(values.begin(), values.end());
  file_->check(nc_put_var_schar(id_, id, bytes.data()));
  return id;
}

int NetcdfGroup::texts(const std::string& name, const std::vector<int>& dimensions,
                       const std::vector<std::string>& values) const {
  const int id = variable(name, NC_STRING, dimensions);
  std::vector<std::string> valid;
  for (const std::string& value : values) valid.push_back(valid_utf8(value));
  std::vector<const char*> pointers;
  for (const std::string& value : valid) pointers.push_back(value.c_str());
  file_->check(nc_put_var_string(id_, id, pointers.data()));
  return id;
}

int NetcdfGroup::counted_dimension(const std::string& name, Index size) const {
  const int id = dimension(name, size);
  std::vector<long long> values(static_cast<std::size_t>(size));
  std::iota(values.begin(), values.end(), 0);
  const int coordinate = variable(name, NC_INT64, {id});
  file_->check(nc_put_var_longlong(id_, coordinate, values.data()));
  return id;
}

void NetcdfGroup::attribute(const std::string& name, const std::string& text) const {
  attribute_of(NC_GLOBAL, name, text);
}

void NetcdfGroup::attribute(const std::string& name, double value) const {
  file_->check(nc_put_att_double(id_, NC_GLOBAL, name.c_str(), NC_DOUBLE, 1, &value));
}

void NetcdfGroup::attribute(const std::string& name, std::int64_t value) const {
  const long long wide = value;
  file_->check(nc_put_att_longlong(id_, NC_GLOBAL, name.c_str(), NC_INT64, 1, &wide));
}

void NetcdfGroup::attribute(const std::string& name, std::uint64_t value) const {
  const unsigned long long wide = value;
  file_->check(nc_put_att_ulonglong(id_, NC_GLOBAL, name.c_str(), NC_UINT64, 1, &wide));
}

void NetcdfGroup::attribute_of(int variable, const std::string& name, const std::string& text) const {
  const std::string valid = valid_utf8(text);
  file_->check(nc_put_att_text(id_, variable, name.c_str(), valid.size(), valid.data()));
}

}  // namespace hunch
