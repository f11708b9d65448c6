// The last stages of compiling and the images of kernel objects are the same things, in the words of the
// compiler and of the linker.
#ifndef NEREID_AOT_IMAGESTAGES_H
#define NEREID_AOT_IMAGESTAGES_H

#include "compiler/model/Stage.h"
#include "linker/KernelObject.h"

namespace nereid {

ImageFormat toImageFormat(Stage stage);
Stage toStage(ImageFormat format);

} // namespace nereid

#endif // NEREID_AOT_IMAGESTAGES_H
