/** Quota for what is not stored yet. Used by runs and sessions. */
export { lockRoom, reserveStorage, smallBytes } from './storage-reservation-store.ts'
