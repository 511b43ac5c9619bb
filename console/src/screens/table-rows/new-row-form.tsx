import { rowMaxBytes } from '@sandbox-jobs/contract/limits.ts'
import type { CustomTable } from '@sandbox-jobs/contract/resources/tables/custom-table.ts'
import type { RowValues } from '@sandbox-jobs/contract/resources/tables/table-field.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { api } from '../../data/api/api.ts'
import { readRowsAgain } from '../../data/authoring/tables.ts'
import { useIntentKey } from '../../data/intent-key.ts'
import { ownRooms } from '../../data/rooms/rooms.ts'
import { initialValue } from '../../form/defaults.ts'
import { InputForm, type InputFormHandle } from '../../form/input-form.tsx'
import { ErrorBox } from '../../parts/error-box.tsx'
import { Form } from '../../parts/form.tsx'
import { RoomField } from '../../parts/room-field.tsx'
import { SubmitButton } from '../../parts/submit-button.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { schemaOfFields } from './row-values.ts'
import styles from './rows.module.css'

/** The values of a new row, and its room if rows of the table belong to rooms. */
export function NewRowForm({ table, onMade }: { table: CustomTable; onMade: () => void }) {
  const t = useTexts().tables
  const queries = useQueryClient()
  const schema = schemaOfFields(table.fields)
  const [values, setValues] = useState(() => initialValue(schema))
  const { data: rooms = [] } = useQuery({ ...ownRooms, enabled: table.channel_rule })
  const [chosen, setChosen] = useState<string>()
  const room = table.channel_rule ? (chosen ?? rooms[0]?.id) : undefined
  const form = useRef<InputFormHandle>(null)
  const keyOf = useIntentKey()
  const create = useMutation({
    mutationFn: () => {
      const body = { values: values as RowValues, ...(room !== undefined && { chatroom_id: room }) }
      return api.call(allRoutes.createRow, { params: { id: table.id }, body, idempotencyKey: keyOf(body) })
    },
    onSuccess: async () => {
      await readRowsAgain(queries)
      onMade()
    },
  })

  async function send(): Promise<void> {
    if (!create.isPending && (await form.current?.check())) create.mutate()
  }

  return (
    <Form className={styles.form} onSubmit={() => void send()}>
      {table.channel_rule && (
        <RoomField label={t.room} rooms={rooms} value={room ?? ''} onValue={setChosen} />
      )}
      <InputForm ref={form} maxBytes={rowMaxBytes} schema={schema} value={values} onValue={setValues} />
      {create.error && <ErrorBox error={create.error} />}
      <SubmitButton isBusy={create.isPending}>{t.createRow}</SubmitButton>
    </Form>
  )
}
