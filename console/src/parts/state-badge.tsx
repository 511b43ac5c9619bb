import { lookOf, type MachineName } from '../design/states.ts'
import { useTexts } from '../texts/texts.tsx'
import { Badge } from './badge.tsx'

/** A state of a life cycle as icon, word and colour. */
export function StateBadge({ machine, state }: { machine: MachineName; state: string }) {
  const t = useTexts()
  const { tone, icon, word } = lookOf(machine, state)
  return (
    <Badge tone={tone} icon={icon}>
      {t.states[word]}
    </Badge>
  )
}
