/** Images to remove from the hosts of other executors. Used by builds. */
export { deleteLeftHostImage, hostImageKey, leaveHostImage, listLeftHostImages } from './host-image-store.ts'
