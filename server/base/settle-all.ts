/**
 * Like `Promise.all`, but settles only after all promises have: a refused request leaves no work running after its
 * response. Of several failures it throws the first in order.
 */
export async function settleAll<Work extends readonly unknown[] | []>(
  work: Work,
): Promise<{ -readonly [Place in keyof Work]: Awaited<Work[Place]> }> {
  await Promise.allSettled(work)
  return Promise.all(work)
}
