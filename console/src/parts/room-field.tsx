import { plainText } from '@sandbox-jobs/contract/plain-text.ts'
import type { OwnChatroom } from '@sandbox-jobs/contract/resources/companies/chatroom.ts'
import type { ReactNode } from 'react'
import { Field } from './field.tsx'

interface Props {
  label: string
  rooms: readonly Pick<OwnChatroom, 'id' | 'name'>[]
  value: string
  onValue: (id: string) => void
  /** A further option, above the rooms. */
  children?: ReactNode
}

/** A choice of one room. */
export function RoomField({ label, rooms, value, onValue, children }: Props) {
  return (
    <Field label={label}>
      {(tied) => (
        <select {...tied} value={value} onChange={(event) => onValue(event.target.value)}>
          {children}
          {rooms.map(({ id, name }) => (
            <option key={id} value={id}>
              {plainText(name)}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}
