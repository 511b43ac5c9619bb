import type { MenuItem } from '@sandbox-jobs/contract/resources/tasks/menu.ts'

/** Names of the secrets that a run would need now and nobody has stored. */
export const missingSecrets = ({ secret_slots }: Pick<MenuItem, 'secret_slots'>): string[] =>
  secret_slots.filter(({ effective_source }) => effective_source === 'missing').map(({ name }) => name)
