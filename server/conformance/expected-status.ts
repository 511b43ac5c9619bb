import type { Route } from '@sandbox-jobs/contract/routes/route.ts'
import type { Variant } from './example-ids.ts'
import { audienceOf, type Expectation } from './expectations.ts'
import type { Caller } from './world.ts'

export interface Cell {
  route: Route
  expectation: Expectation
  caller: Caller
  variant: Variant
}

/** What the contract answers, in the order in which it asks (part 1, "Authentication"; part 2, "Errors"). */
export function expectedStatus({ route, expectation, caller, variant }: Cell): number {
  const audience = audienceOf(expectation.who)
  const allowed = expectation.allowed ?? 200
  if (route.access === 'token') return ['own', 'foreign'].includes(variant.kind) ? allowed : 404
  if (route.access === 'public') return allowed
  if (caller === 'nobody') return 418
  const refused = keyRefusal(route, caller, variant)
  if (refused) return refused
  if (variant.kind === 'malformed') return 422
  // Another company's administrator may what an administrator may, but of this company there is nothing to find.
  const strange = caller === 'otherCompany'
  if (!audience.callers.includes(strange ? 'administrator' : caller)) return audience.refusal ?? 404
  if (variant.kind !== 'own' || (strange && route.params)) return audience.missing ?? 404
  return allowed
}

/** Keys of sandbox scope: rooms first, then the route's rule. */
function keyRefusal(route: Route, caller: Caller, variant: Variant): number | undefined {
  if (caller !== 'sandboxKeyInside' && caller !== 'sandboxKeyOutside') return undefined
  const inRoom = caller === 'sandboxKeyInside' && variant.parameter !== 'cid'
  if (route.path.includes('{cid}') && !inRoom) return 403
  return typeof route.restrictedKey === 'number' ? route.restrictedKey : undefined
}
