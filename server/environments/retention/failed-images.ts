/** Images of failed versions. Used by builds. */
export {
  clearedImageColumns as noImage,
  clearImage as forgetImage,
  findLayerOf,
  isFailed,
  isLayerOfAnother,
  listFailedWithImage,
  lockFailed as holdFailed,
} from './version-image-store.ts'
