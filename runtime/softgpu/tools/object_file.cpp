#include "runtime/softgpu/tools/object_file.h"

#include "runtime/codeobject/hostfile.h"
#include "runtime/host/whole_file.h"

namespace meld::softgpu {

Result<ObjectFile> ObjectFile::open(const std::string &path) {
  auto bytes = MELD_TRY(readWholeFile(path));
  ObjectFile file;
  file.bytes_ = std::make_unique<Bytes>(std::move(bytes));
  auto images = findDeviceImages(*file.bytes_);
  if (!images)
    return fail(images.error().code, path + ": " + images.error().message);
  for (const DeviceImage &image : *images) {
    if (image.bytes.empty()) {
      file.skipped_.push_back(image.id + ": " + image.note);
      continue;
    }
    if (image.unpacked)
      file.unpacked_.push_back(image.unpacked);
    auto object = CodeObject::parse(image.bytes);
    if (object)
      file.objects_.push_back(std::make_unique<CodeObject>(std::move(*object)));
    else
      file.skipped_.push_back(image.id + ": " + object.error().message);
  }
  return file;
}

std::vector<KernelPlace> ObjectFile::kernels(const CodeObject &object) {
  std::vector<KernelPlace> places;
  for (const KernelMetadata &kernel : object.metadata.kernels) {
    const ElfSymbol *symbol = object.symbol(kernel.symbol);
    auto descriptor = object.descriptor(kernel);
    if (!symbol || !descriptor)
      continue;
    KernelPlace place;
    place.object = &object;
    place.name = kernel.name;
    place.entry = symbol->value + uint64_t(descriptor->entryOffset);
    place.waveSize = descriptor->wavefrontSize();
    if (const ElfSymbol *code = object.symbol(kernel.name); code && code->value == place.entry)
      place.size = code->size;
    places.push_back(std::move(place));
  }
  return places;
}

std::vector<KernelPlace> ObjectFile::find(std::string_view kernel,
                                          std::string_view processor) const {
  std::vector<KernelPlace> found;
  for (const auto &object : objects_)
    if (processor.empty() || object->isa.processor == processor)
      for (KernelPlace &place : kernels(*object))
        if (place.name == kernel)
          found.push_back(std::move(place));
  return found;
}

} // namespace meld::softgpu
