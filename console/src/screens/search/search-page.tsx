import type { FoundThing } from '@sandbox-jobs/contract/resources/companies/found-thing.ts'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { screenOf } from '../../data/screen-of.ts'
import { foundThings, groupOf, isSearch } from '../../data/search.ts'
import { present, textIn } from '../../data/search-values.ts'
import { useSettled } from '../../data/settled.ts'
import { AddressSearch } from '../../parts/address-search.tsx'
import { Page } from '../../parts/page.tsx'
import { Panel } from '../../parts/panel.tsx'
import rows from '../../parts/row-list.module.css'
import { TenantText } from '../../parts/tenant-text.tsx'
import { useTexts } from '../../texts/texts.tsx'

const pauseMs = 200

/** Things that the person may see, by the part of their name that the address has. */
export function SearchPage() {
  const t = useTexts().palette
  const { q = '' } = useSearch({ from: '/signed-in/search' })
  const navigate = useNavigate({ from: '/search' })
  const text = useSettled(q, pauseMs)
  return (
    <Page title={t.search}>
      <AddressSearch
        label={t.searchFor}
        value={q}
        onValue={(value) => void navigate({ search: present({ q: textIn(value) }), replace: true })}
      />
      {isSearch(text) ? <Found text={text} /> : <p>{t.searchHelp}</p>}
    </Page>
  )
}

function Found({ text }: { text: string }) {
  const t = useTexts().palette
  const found = useQuery(foundThings(text))
  return (
    <Panel query={found} rows={6} empty={({ items }) => items.length === 0 && t.none}>
      {({ items }) => (
        <ul className={rows.list}>
          {items.map((thing) => (
            <FoundRow key={thing.id} thing={thing} />
          ))}
        </ul>
      )}
    </Panel>
  )
}

function FoundRow({ thing: { kind, title, detail, path } }: { thing: FoundThing }) {
  const t = useTexts().palette
  return (
    <li>
      <div className={rows.words}>
        <Link to={screenOf(path) ?? '/'}>
          <TenantText text={title} />
        </Link>
        <span className={rows.detail}>
          <span>{t.groups[groupOf[kind]]}</span>
          {detail !== '' && <TenantText text={detail} />}
        </span>
      </div>
    </li>
  )
}
