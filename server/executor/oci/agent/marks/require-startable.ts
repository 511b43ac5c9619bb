import { ExecutorRefused, type SandboxSpec } from '../../../port.ts'
import { requireInTime } from '../../../start-in-time.ts'
import type { Marks } from './marks.ts'

/** Refuses the start of an id that is not known but may have been: by its mark, or where its mark may be gone by now. */
export function requireStartable(
  spec: Pick<SandboxSpec, 'id' | 'claimedAt'>,
  { marks, now }: { marks: Pick<Marks, 'find'>; now: Date },
): void {
  const mark = marks.find(spec.id)
  if (mark === 'forbidden') throw new ExecutorRefused(mark, `sandbox ${spec.id} may not start`)
  if (mark === 'removed') throw new ExecutorRefused(mark, `sandbox ${spec.id} ended earlier and was removed`)
  requireInTime(spec, now)
}
