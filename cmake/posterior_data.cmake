# Writes hunch/problems/posterior_tables.hpp: each data/posteriors/*.csv as a name and a raw string.
set(HUNCH_GENERATED ${CMAKE_BINARY_DIR}/generated)
file(GLOB posterior_tables CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/data/posteriors/*.csv)
set(posterior_rows "")
foreach(table IN LISTS posterior_tables)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${table})
  get_filename_component(name ${table} NAME_WE)
  file(READ ${table} csv)
  string(APPEND posterior_rows "    {\"${name}\", R\"csv(${csv})csv\"},\n")
endforeach()
configure_file(${CMAKE_SOURCE_DIR}/cmake/posterior_tables.hpp.in
               ${HUNCH_GENERATED}/hunch/problems/posterior_tables.hpp @ONLY)
