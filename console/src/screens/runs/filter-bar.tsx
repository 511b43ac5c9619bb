import { runStates } from '@sandbox-jobs/contract/states/run-states.ts'
import { useQuery } from '@tanstack/react-query'
import { ownRooms } from '../../data/rooms/rooms.ts'
import { lookOf } from '../../design/states.ts'
import { Button } from '../../parts/button.tsx'
import { Chips } from '../../parts/chips.tsx'
import { Field } from '../../parts/field.tsx'
import { RoomField } from '../../parts/room-field.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { type Filters, isFiltered } from './filters.ts'
import styles from './runs.module.css'

interface Props {
  filters: Filters
  hasRooms: boolean
  onChange: (filters: Filters) => void
}

/** Filters that apply as soon as they are chosen. Several states may be chosen at once. */
export function FilterBar({ filters, hasRooms, onChange }: Props) {
  const t = useTexts()
  const chosen = filters.status ?? []
  return (
    <search className={styles.filters} aria-label={t.runs.filters}>
      <Chips
        label={t.runs.state}
        items={runStates.map((state) => {
          const { tone, icon, word } = lookOf('run', state)
          return { value: state, text: t.states[word], tone, icon }
        })}
        chosen={chosen}
        onChange={(status) => onChange({ ...filters, status })}
      />
      <div className={styles.fields}>
        {hasRooms && <OwnRoomField filters={filters} onChange={onChange} />}
        <Field label={t.runs.from}>
          {(tied) => (
            <input
              {...tied}
              type="date"
              value={filters.from ?? ''}
              onChange={(event) => onChange({ ...filters, from: event.target.value })}
            />
          )}
        </Field>
        <Field label={t.runs.to}>
          {(tied) => (
            <input
              {...tied}
              type="date"
              value={filters.to ?? ''}
              onChange={(event) => onChange({ ...filters, to: event.target.value })}
            />
          )}
        </Field>
        {isFiltered(filters) && (
          <Button icon="close" onPress={() => onChange({})}>
            {t.runs.clear}
          </Button>
        )}
      </div>
    </search>
  )
}

function OwnRoomField({ filters, onChange }: Omit<Props, 'hasRooms'>) {
  const t = useTexts()
  const { data: rooms = [] } = useQuery(ownRooms)
  return (
    <RoomField
      label={t.runs.room}
      rooms={rooms}
      value={filters.room ?? ''}
      onValue={(room) => onChange({ ...filters, room })}
    >
      <option value="">{t.runs.all}</option>
    </RoomField>
  )
}
