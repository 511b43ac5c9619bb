import type { CompanyList } from '@sandbox-jobs/contract/operator/operator-company.ts'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useSettled } from '../../data/settled.ts'
import { AddressSearch } from '../../parts/address-search.tsx'
import { IdText } from '../../parts/id-text.tsx'
import { Page } from '../../parts/page.tsx'
import { Panel } from '../../parts/panel.tsx'
import { useFormats } from '../../texts/texts.tsx'
import { CompanyLink } from '../company-link.tsx'
import { companiesNamed } from '../operator-api.ts'
import { Table } from '../operator-table.tsx'
import { useOperatorTexts } from '../texts/operator-texts.tsx'

const typingPauseMs = 250

/** The companies of the service, searched by name. */
export function CompaniesPage() {
  const t = useOperatorTexts()
  const { name = '' } = useSearch({ strict: false })
  const navigate = useNavigate()
  const found = useQuery(companiesNamed(useSettled(name, typingPauseMs)))
  return (
    <Page title={t.companies.title} product={t.product}>
      <AddressSearch
        label={t.companies.search}
        value={name}
        onValue={(value) => void navigate({ to: '.', search: { name: value }, replace: true })}
      />
      <Panel query={found} rows={6}>
        {(list) => <Found list={list} isSearch={name !== ''} />}
      </Panel>
    </Page>
  )
}

function Found({ list: { items, is_cut }, isSearch }: { list: CompanyList; isSearch: boolean }) {
  const t = useOperatorTexts().companies
  const formats = useFormats()
  return (
    <>
      {is_cut && <p>{t.firstOnly(formats.number(items.length))}</p>}
      <Table
        title={t.list}
        none={isSearch ? t.noneMatches : t.none}
        rows={items}
        keyOf={({ id }) => id}
        columns={[
          { name: t.name, show: ({ id, name }) => <CompanyLink id={id} name={name} /> },
          { name: t.id, show: ({ id }) => <IdText id={id} /> },
        ]}
      />
    </>
  )
}
