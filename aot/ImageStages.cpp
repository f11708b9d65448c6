// See ImageStages.h.
#include "aot/ImageStages.h"

namespace nereid {

ImageFormat toImageFormat(Stage stage) {
  switch (stage) {
  case Stage::Cubin:
    return ImageFormat::Cubin;
  case Stage::PTX:
    return ImageFormat::PTX;
  case Stage::HSACO:
    return ImageFormat::HSACO;
  default:
    return ImageFormat::Object;
  }
}

Stage toStage(ImageFormat format) {
  for (Stage stage : {Stage::Cubin, Stage::PTX, Stage::HSACO})
    if (toImageFormat(stage) == format)
      return stage;
  return Stage::Object;
}

} // namespace nereid
