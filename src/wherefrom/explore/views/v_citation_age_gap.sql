-- question: How much older than the citing page is what it cites?
-- columns: citing_year, cited_year, age_gap, frequency
-- Citations between pages of known year, counted by both years. A negative gap is a citation of something newer.
with {task_citations}
select
    a.year as citing_year,
    b.year as cited_year,
    a.year - b.year as age_gap,
    count(*) as frequency
from cites c
join pages a on a.id = c.citing_page_id
join pages b on b.id = c.cited_page_id
where a.year is not null and b.year is not null
group by a.year, b.year
order by age_gap desc, citing_year desc
