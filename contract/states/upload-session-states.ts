import { stateMachine } from './state-machine.ts'

export const uploadSessionStates = [
  'initiating',
  'uploading',
  'completing',
  'completed',
  'abort_pending',
  'aborted',
] as const
export type UploadSessionState = (typeof uploadSessionStates)[number]

/**
 * Upload session. A single-part upload passes `initiating` inside the transaction that makes it, so callers
 * first see `uploading`. `completing` means that complete was tried and its checks failed: complete may be
 * tried again, or the session aborted. `abort_pending` waits for the bytes to be removed.
 */
export const uploadSessionMachine = stateMachine<UploadSessionState>({
  name: 'upload_session',
  initial: 'initiating',
  terminal: ['completed', 'aborted'],
  transitions: {
    initiating: ['uploading', 'aborted'],
    uploading: ['completing', 'abort_pending', 'aborted'],
    completing: ['completed', 'abort_pending', 'aborted'],
    completed: [],
    abort_pending: ['aborted'],
    aborted: [],
  },
})

/** States that a caller can see. */
export const visibleUploadSessionStates = [
  'uploading',
  'completing',
  'completed',
  'abort_pending',
  'aborted',
] as const satisfies UploadSessionState[]

/** Life of a stored object; only an `active` one can be read or built from. */
export const deletionStates = ['active', 'delete_pending', 'deleted', 'tombstoned'] as const
export type DeletionState = (typeof deletionStates)[number]
