// The application's own files under the software GPU: whatever way a number that the driver's files
// had comes to the application, fstat, ioctl and opendir's kin tell of the file that is behind it.
// The truth is the kernel's, asked by plain system calls.
#include "tests/e2e/programs/check.h"

#include <cstdlib>
#include <dirent.h>
#include <fcntl.h>
#include <string>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

namespace {

const char *const kDriverFile = "/sys/devices/virtual/kfd/kfd/topology/nodes/0/properties";
const char *const kDriverFolder = "/sys/devices/virtual/kfd/kfd/topology/nodes";

int lies = 0;

void compare(const char *how, int fd) {
  struct stat said{}, is{}; // where there is nothing, neither writes to them
  const int a = fstat(fd, &said);
  const long b = syscall(SYS_fstat, fd, &is);
  int bytes = -1;
  const int asked = ioctl(fd, FIONREAD, &bytes);
  if (a != b || said.st_ino != is.st_ino || said.st_dev != is.st_dev ||
      said.st_size != is.st_size || (S_ISREG(is.st_mode) && asked != 0)) {
    std::printf("%s: descriptor %d: fstat says inode %lu size %ld, the kernel %lu and %ld; "
                "FIONREAD %d\n",
                how, fd, static_cast<unsigned long>(said.st_ino), static_cast<long>(said.st_size),
                static_cast<unsigned long>(is.st_ino), static_cast<long>(is.st_size), asked);
    ++lies;
  }
}

int driverFile() {
  const int fd = open(kDriverFile, O_RDONLY);
  if (fd < 0)
    std::printf("no %s\n", kDriverFile), ++lies;
  return fd;
}

} // namespace

int main() {
  int n = 0;
  HIP(hipGetDeviceCount(&n)); // the runtimes have read sysfs by now, with fopen and fclose
  char name[] = "/tmp/meld-descriptors-XXXXXX";
  const int data = mkstemp(name);
  if (data < 0 || ftruncate(data, 12345) != 0)
    return 2;
  std::vector<int> many;
  for (int i = 0; i < 60; ++i) {
    many.push_back(open(name, O_RDONLY));
    compare("after the runtime's start", many.back());
  }
  for (int fd : many)
    close(fd);

  FILE *stream = fopen(kDriverFile, "r");
  int number = fileno(stream);
  fclose(stream);
  if (dup2(data, number) != number)
    return 2;
  compare("fclose", number);

  number = driverFile();
  dup2(data, number);
  compare("dup2", number);
  number = driverFile();
  dup3(data, number, O_CLOEXEC);
  compare("dup3", number);
  number = driverFile();
  close_range(static_cast<unsigned>(number), static_cast<unsigned>(number), 0);
  compare("close_range, nothing behind it", number);
  dup2(data, number);
  compare("close_range", number);
  number = driverFile();
  syscall(SYS_close, number);
  dup2(data, number);
  compare("a plain system call", number);

  // A folder of the driver's, whose number becomes a folder of the application's.
  number = open(kDriverFolder, O_RDONLY | O_DIRECTORY);
  const int tmp = open("/tmp", O_RDONLY | O_DIRECTORY);
  dup2(tmp, number);
  compare("a folder", number);
  const int through = openat(number, name + 5, O_RDONLY);
  if (through < 0)
    std::printf("openat below the application's folder fails\n"), ++lies;
  else
    compare("openat", through);
  bool seen = false;
  if (DIR *listing = fdopendir(number)) {
    while (const dirent *entry = readdir(listing))
      seen |= std::string(entry->d_name) == name + 5;
    closedir(listing);
  }
  if (!seen)
    std::printf("the application's folder is listed without its file\n"), ++lies;

  // And what is the driver's is still the driver's.
  number = driverFile();
  struct stat properties;
  if (fstat(number, &properties) != 0 || !S_ISREG(properties.st_mode) ||
      properties.st_size == 12345)
    std::printf("the driver's own file is described wrongly\n"), ++lies;
  close(number);
  int *p = nullptr;
  HIP(hipMalloc(&p, 64));
  HIP(hipMemset(p, 0, 64));
  HIP(hipDeviceSynchronize());
  unlink(name);
  std::puts(lies ? "FAIL" : "PASS");
  return lies != 0;
}
