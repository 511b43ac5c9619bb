import type { Pepper, Peppers } from '../../base/keys/peppers.ts'

/**
 * The value stored under one of the live peppers, the present one first: another is only asked after a rotation. Returns
 * the pepper that it was found under; it is to be stored under the present one from now on.
 */
export async function findByPepper<Found>(
  peppers: Peppers,
  find: (pepper: Pepper) => Promise<Found | undefined>,
): Promise<[Found | undefined, Pepper]> {
  const tried = new Set<number>()
  do {
    for (const pepper of peppers.live()) {
      if (tried.has(pepper.number)) continue
      tried.add(pepper.number)
      const found = await find(pepper)
      if (found && isLive(peppers, pepper)) return [found, pepper]
    }
  } while (peppers.refresh())
  const present = peppers.present()
  // Between two lookups, another process may have stored the key under the present pepper.
  return [tried.size > 1 ? await find(present) : undefined, present]
}

/** A former one may have been retired since it was read. */
function isLive(peppers: Peppers, pepper: Pepper): boolean {
  if (pepper.number !== peppers.present().number) peppers.refresh()
  return peppers.live().some(({ number }) => number === pepper.number)
}
