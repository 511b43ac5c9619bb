/** Images of versions that did not become ready, for the builds that made them. */
export {
  findLayerOf,
  forgetImage,
  holdFailed,
  isFailed,
  isLayerOfAnother,
  listFailedWithImage,
  noImage,
} from './version-image-store.ts'
