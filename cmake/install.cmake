# The installed library, target hunch::hunch: every room that sampling needs, behind the header hunch/hunch.hpp.
include(CMakePackageConfigHelpers)

set(HUNCH_LIBRARY_ROOMS core target model evaluation surrogate sampler explore draws diagnostics problems config run)
set(HUNCH_PACKAGE_FOLDER ${CMAKE_INSTALL_LIBDIR}/cmake/hunch)

add_library(hunch INTERFACE)
add_library(hunch::hunch ALIAS hunch)
target_link_libraries(hunch INTERFACE hunch_run)
target_compile_features(hunch INTERFACE cxx_std_20)
# Eigen's inline functions and the alignment of what it allocates depend on the instruction set: a program that is
# compiled for another one than the library would mix both kinds.
if(HUNCH_MARCH AND CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
  target_compile_options(hunch INTERFACE $<INSTALL_INTERFACE:-march=${HUNCH_MARCH}>)
endif()

set(HUNCH_INSTALLED hunch)
foreach(room IN LISTS HUNCH_LIBRARY_ROOMS)
  list(APPEND HUNCH_INSTALLED hunch_${room})
  set_target_properties(hunch_${room} PROPERTIES EXPORT_NAME ${room})
  install(DIRECTORY ${CMAKE_SOURCE_DIR}/src/hunch/${room} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/hunch
          FILES_MATCHING PATTERN "*.hpp" PATTERN "hunch_model.h")
endforeach()
install(FILES ${CMAKE_SOURCE_DIR}/src/hunch/hunch.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/hunch)
install(TARGETS ${HUNCH_INSTALLED} EXPORT hunchTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS hunch_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})

install(EXPORT hunchTargets NAMESPACE hunch:: DESTINATION ${HUNCH_PACKAGE_FOLDER})
configure_package_config_file(cmake/hunchConfig.cmake.in ${CMAKE_BINARY_DIR}/hunchConfig.cmake
                              INSTALL_DESTINATION ${HUNCH_PACKAGE_FOLDER})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/hunchConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/hunchConfig.cmake ${CMAKE_BINARY_DIR}/hunchConfigVersion.cmake
        DESTINATION ${HUNCH_PACKAGE_FOLDER})
