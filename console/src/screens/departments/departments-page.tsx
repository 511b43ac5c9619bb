import type { Department } from '@sandbox-jobs/contract/resources/companies/department.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../../data/api/api.ts'
import { companyRooms, departments, people, readDirectoryAgain } from '../../data/company/directory.ts'
import { Button } from '../../parts/button.tsx'
import { NameDialog } from '../../parts/name-dialog.tsx'
import { Panel } from '../../parts/panel.tsx'
import rowLink from '../../parts/row-link.module.css'
import table from '../../parts/table.module.css'
import { TenantText } from '../../parts/tenant-text.tsx'
import { useFormats, useTexts } from '../../texts/texts.tsx'
import { CompanyPage } from '../company/company-page.tsx'
import { FilteredList } from '../company/filtered-list.tsx'
import { managersOf } from './managers-of.ts'

/** The departments of the company, with who manages them. */
export function DepartmentsPage() {
  const t = useTexts()
  const list = useQuery(departments)
  const [isCreating, setIsCreating] = useState(false)
  return (
    <CompanyPage
      part="departments"
      actions={
        <Button icon="plus" onPress={() => setIsCreating(true)}>
          {t.departments.create}
        </Button>
      }
    >
      <Panel query={list} rows={4} empty={(all) => all.length === 0 && t.departments.none}>
        {(all) => (
          <FilteredList items={all} textOf={({ name }) => name}>
            {(shown) => <DepartmentTable departments={shown} />}
          </FilteredList>
        )}
      </Panel>
      {isCreating && <NewDepartment onClose={() => setIsCreating(false)} />}
    </CompanyPage>
  )
}

function NewDepartment({ onClose }: { onClose: () => void }) {
  const t = useTexts()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const create = useMutation({
    mutationFn: (name: string) => api.call(allRoutes.createDepartment, { body: { name } }),
    onSuccess: async ({ id }) => {
      await readDirectoryAgain(queries)
      await navigate({ to: '/company/departments/$id', params: { id } })
    },
  })
  return (
    <NameDialog title={t.departments.create} act={t.departments.create} mutation={create} onClose={onClose} />
  )
}

function DepartmentTable({ departments: shown }: { departments: readonly Department[] }) {
  const t = useTexts()
  const formats = useFormats()
  const { data: everybody = [] } = useQuery(people)
  const { data: rooms = [] } = useQuery(companyRooms)
  return (
    <table className={table.table}>
      <thead>
        <tr>
          <th scope="col">{t.company.name}</th>
          <th scope="col">{t.departments.managers}</th>
          <th scope="col">{t.company.parts.chatrooms}</th>
        </tr>
      </thead>
      <tbody>
        {shown.map(({ id, name }) => (
          <tr key={id} className={rowLink.row}>
            <td>
              <Link to="/company/departments/$id" params={{ id }} className={rowLink.link}>
                <TenantText text={name} />
              </Link>
            </td>
            <td>
              <TenantText
                text={managersOf(id, everybody)
                  .map(({ display_name }) => display_name)
                  .join(', ')}
              />
            </td>
            <td className={table.number}>
              {formats.number(rooms.filter(({ department_id }) => department_id === id).length)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
