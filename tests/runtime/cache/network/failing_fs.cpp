// failing-fs SOURCE MOUNT CONTROL LOG: the folder SOURCE once more at MOUNT, as a file server might give
// it: late, and with operations that fail (libfuse 3).
//
// CONTROL is a line "DELAY_MS EVERY ERRNO OPERATIONS", read before each operation: each takes that long;
// of those named (names with commas between, or all) every EVERY-th fails with that number; 0: none.
// LOG gets the name of each operation, one a line. A write that fails has written half, as on a full
// disk. Locks: ENOLCK, as where nobody serves them.
//
// Written for one folder without links, by one user.
#define FUSE_USE_VERSION 31
#include <fuse3/fuse.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <string>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

namespace {

std::string gSource, gControl;
int gLog = -1;
std::atomic<unsigned> gOperations{0};

std::string at(const char *path) { return gSource + path; }

/// 0, or minus the errno with which this one is to fail.
int enter(const char *name) {
  const std::string line = std::string(name) + "\n";
  (void)!write(gLog, line.data(), line.size());
  unsigned delay = 0, every = 0, number = 0;
  char names[256] = "";
  if (FILE *control = std::fopen(gControl.c_str(), "r")) {
    if (std::fscanf(control, "%u %u %u %255s", &delay, &every, &number, names) < 4)
      every = 0;
    std::fclose(control);
  }
  if (delay)
    usleep(delay * 1000);
  const bool named =
      !std::strcmp(names, "all") ||
      ("," + std::string(names) + ",").find("," + std::string(name) + ",") != std::string::npos;
  return every && named && ++gOperations % every == 0 ? -int(number) : 0;
}

int done(int result) { return result < 0 ? -errno : 0; }

#define ENTER(name)                                                                                \
  if (const int error = enter(name))                                                               \
    return error;

int getAttributes(const char *path, struct stat *info, fuse_file_info *file) {
  ENTER("getattr");
  return done(file ? fstat(int(file->fh), info) : lstat(at(path).c_str(), info));
}
int makeFolder(const char *path, mode_t mode) {
  ENTER("mkdir");
  return done(mkdir(at(path).c_str(), mode));
}
int removeFile(const char *path) {
  ENTER("unlink");
  return done(unlink(at(path).c_str()));
}
int removeFolder(const char *path) {
  ENTER("rmdir");
  return done(rmdir(at(path).c_str()));
}
int renameFile(const char *from, const char *to, unsigned flags) {
  ENTER("rename");
  return flags ? -EINVAL : done(rename(at(from).c_str(), at(to).c_str()));
}
int changeMode(const char *path, mode_t mode, fuse_file_info *) {
  ENTER("chmod");
  return done(chmod(at(path).c_str(), mode));
}
int changeSize(const char *path, off_t size, fuse_file_info *) {
  ENTER("truncate");
  return done(truncate(at(path).c_str(), size));
}
int setTimes(const char *path, const timespec times[2], fuse_file_info *) {
  ENTER("utimens");
  return done(utimensat(AT_FDCWD, at(path).c_str(), times, AT_SYMLINK_NOFOLLOW));
}
int keep(int fd, fuse_file_info *file) {
  if (fd < 0)
    return -errno;
  file->fh = uint64_t(fd);
  return 0;
}
int openFile(const char *path, fuse_file_info *file) {
  ENTER("open");
  return keep(open(at(path).c_str(), file->flags | O_CLOEXEC), file);
}
int createFile(const char *path, mode_t mode, fuse_file_info *file) {
  ENTER("create");
  return keep(open(at(path).c_str(), file->flags | O_CREAT | O_CLOEXEC, mode), file);
}
int readFile(const char *, char *room, size_t size, off_t offset, fuse_file_info *file) {
  ENTER("read");
  const ssize_t got = pread(int(file->fh), room, size, offset);
  return got < 0 ? -errno : int(got);
}
int writeFile(const char *, const char *bytes, size_t size, off_t offset, fuse_file_info *file) {
  const int error = enter("write");
  const ssize_t put = pwrite(int(file->fh), bytes, error ? size / 2 : size, offset);
  return error ? error : put < 0 ? -errno : int(put);
}
int flushFile(const char *, fuse_file_info *) {
  ENTER("flush");
  return 0;
}
int syncFile(const char *, int, fuse_file_info *file) {
  ENTER("fsync");
  return done(fsync(int(file->fh)));
}
int closeFile(const char *, fuse_file_info *file) {
  (void)enter("release");
  close(int(file->fh));
  return 0;
}
int lockFile(const char *, fuse_file_info *, int, struct flock *lock) {
  if (lock->l_type == F_UNLCK) // libfuse does so at each close
    return 0;
  (void)enter("lock");
  return -ENOLCK;
}
int readFolder(const char *path, void *room, fuse_fill_dir_t fill, off_t, fuse_file_info *,
               fuse_readdir_flags) {
  ENTER("readdir");
  DIR *folder = opendir(at(path).c_str());
  if (!folder)
    return -errno;
  while (const dirent *entry = readdir(folder))
    fill(room, entry->d_name, nullptr, 0, fuse_fill_dir_flags(0));
  closedir(folder);
  return 0;
}
int describe(const char *, struct statvfs *info) {
  ENTER("statfs");
  return done(statvfs(gSource.c_str(), info));
}
void *start(fuse_conn_info *, fuse_config *config) {
  config->use_ino = 1;
  config->entry_timeout = config->attr_timeout = config->negative_timeout = 0; // all is asked
  return nullptr;
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 5) {
    std::fputs("usage: failing-fs SOURCE MOUNT CONTROL LOG\n", stderr);
    return 2;
  }
  gSource = argv[1];
  gControl = argv[3];
  gLog = open(argv[4], O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  umask(0);
  fuse_operations operations{};
  operations.init = start;
  operations.getattr = getAttributes;
  operations.mkdir = makeFolder;
  operations.unlink = removeFile;
  operations.rmdir = removeFolder;
  operations.rename = renameFile;
  operations.chmod = changeMode;
  operations.truncate = changeSize;
  operations.utimens = setTimes;
  operations.open = openFile;
  operations.create = createFile;
  operations.read = readFile;
  operations.write = writeFile;
  operations.flush = flushFile;
  operations.fsync = syncFile;
  operations.release = closeFile;
  operations.lock = lockFile;
  operations.readdir = readFolder;
  operations.statfs = describe;
  std::string program = argv[0], foreground = "-f", mount = argv[2];
  char *arguments[] = {program.data(), foreground.data(), mount.data(), nullptr};
  return fuse_main(3, arguments, &operations, nullptr);
}
