import { type CatalogueEntry, entry, reread } from './catalogue-entry.ts'

/** Prices, holds and company policy. */
export const billingErrors = {
  policy_version_conflict: entry(409, 'The settings were changed by someone else.', reread),
  budget_reservation_exceeded: entry(
    403,
    'The budget of the company cannot cover this.',
    'Do not send it again unchanged; lower the timeout, or ask the operator for a higher budget.',
  ),
  no_active_region: entry(422, 'No region can execute this run.', 'Allow a region, or ask the operator.'),
  missing_price: entry(422, 'No price is set for this profile and region.', 'Ask the operator.'),
  invalid_envelope: entry(422, 'The reservation cannot be computed.', 'Ask the operator.'),
  missing_window: entry(422, 'No quota window is open.', 'Ask the operator.'),
} satisfies Record<string, CatalogueEntry>
