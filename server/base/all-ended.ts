/**
 * What all of them give, like `Promise.all`, but not before every one has ended: a request that was refused leaves
 * nothing going on behind its answer. Of several failures the first in their order is told.
 */
export async function allEnded<Work extends readonly unknown[] | []>(
  work: Work,
): Promise<{ -readonly [Place in keyof Work]: Awaited<Work[Place]> }> {
  await Promise.allSettled(work)
  return Promise.all(work)
}
