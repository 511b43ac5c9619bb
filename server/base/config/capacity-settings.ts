import { sessionBytesDefault, sessionBytesMax, sessionBytesMin } from '@sandbox-jobs/contract/limits.ts'
import { integer, type Settings, size } from './setting.ts'

/** Resources that companies share. */
export interface CapacityConfig {
  /** Runs that this worker executes at once. */
  runSlots: number
  /** Slots reserved for companies without an active run; absent: one in eight. */
  reservedRunSlots: number | undefined
  /** Builds that this worker executes at once. */
  buildSlots: number
  /** Bytes that a company may store if its operator has set no other limit; absent: a quarter of the disk. */
  companyStorageBytes: number | undefined
  /** Bytes of a session whose creator asks for no other size; at most `sessionMaxBytes`. */
  sessionBytes: number
  /** Bytes that a session may have. */
  sessionMaxBytes: number
  /** Bytes of the data folder's disk that stay free; absent: by the disk's size. */
  diskFloorBytes: number | undefined
}

export const capacitySettings: Settings<CapacityConfig> = {
  runSlots: {
    env: 'SANDBOX_RUN_SLOTS',
    description: 'runs executed at once',
    fallback: () => 16,
    ...integer(1, 4096),
  },
  reservedRunSlots: {
    env: 'SANDBOX_RESERVED_RUN_SLOTS',
    description:
      'of these, reserved for companies without an active run; default one in eight, at least one of two',
    fallback: () => undefined,
    ...integer(0, 4095),
  },
  buildSlots: {
    env: 'SANDBOX_BUILD_SLOTS',
    description:
      'builds executed at once; one of two or more is reserved for companies without an active build',
    fallback: () => 3,
    ...integer(1, 64),
  },
  companyStorageBytes: {
    env: 'SANDBOX_COMPANY_STORAGE_BYTES',
    description: 'bytes that one company may store; default a quarter of the data folder’s disk',
    fallback: () => undefined,
    ...size(1, Number.MAX_SAFE_INTEGER),
  },
  sessionBytes: {
    env: 'SANDBOX_SESSION_BYTES',
    description: 'bytes of a session whose creator asks for no other size',
    fallback: () => sessionBytesDefault,
    ...size(sessionBytesMin, 2 ** 31),
  },
  sessionMaxBytes: {
    env: 'SANDBOX_SESSION_MAX_BYTES',
    description: 'bytes that a session may have',
    fallback: () => sessionBytesMax,
    ...size(sessionBytesMin, 2 ** 31),
  },
  diskFloorBytes: {
    env: 'SANDBOX_DISK_FLOOR_BYTES',
    description: 'bytes of the disk that stay free; default a twentieth of it, 4 GiB at most',
    fallback: () => undefined,
    ...size(1, Number.MAX_SAFE_INTEGER),
  },
}
