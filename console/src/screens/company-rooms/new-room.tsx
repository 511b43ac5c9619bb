import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../../data/api/api.ts'
import { departments, readDirectoryAgain } from '../../data/company/directory.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { NameDialog } from '../../parts/name-dialog.tsx'
import { Panel } from '../../parts/panel.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { DepartmentField } from './department-field.tsx'

/** A new room in a department, which the person chooses unless it is given. */
export function NewRoom({ departmentId, onClose }: { departmentId?: string; onClose: () => void }) {
  const t = useTexts()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const list = useQuery(departments)
  const [chosen, setChosen] = useState(departmentId)
  const [first] = list.data ?? []
  const department = chosen ?? first?.id
  const create = useMutation({
    mutationFn: (name: string) =>
      api.call(allRoutes.createChatroom, { body: { name, department_id: department ?? '' } }),
    onSuccess: async ({ id }) => {
      await readDirectoryAgain(queries)
      await navigate({ to: '/company/chatrooms/$cid', params: { cid: id } })
    },
  })
  const title = t.companyRooms.create
  if (department === undefined) {
    return (
      <Dialog title={title} onClose={onClose}>
        <Panel query={list}>{() => <p>{t.companyRooms.noDepartment}</p>}</Panel>
      </Dialog>
    )
  }
  return (
    <NameDialog title={title} act={title} mutation={create} onClose={onClose}>
      {departmentId === undefined && (
        <DepartmentField departments={list.data ?? []} value={department} onValue={setChosen} />
      )}
    </NameDialog>
  )
}
