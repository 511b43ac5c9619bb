import { ExecutorRefused } from '../../port/errors.ts'
import type { SandboxSpec } from '../../port/sandbox-spec.ts'
import { requireInTime } from '../../port/start-in-time.ts'
import type { Marks } from './marks.ts'

/** Refuses the start of an unknown id that may have been used before: it has a mark, or its mark may have expired. */
export function requireStartable(
  spec: Pick<SandboxSpec, 'id' | 'claimedAt'>,
  { marks, now }: { marks: Pick<Marks, 'find'>; now: Date },
): void {
  const mark = marks.find(spec.id)
  if (mark === 'forbidden') throw new ExecutorRefused(mark, `sandbox ${spec.id} may not start`)
  if (mark === 'removed') throw new ExecutorRefused(mark, `sandbox ${spec.id} ended earlier and was removed`)
  requireInTime(spec, now)
}
