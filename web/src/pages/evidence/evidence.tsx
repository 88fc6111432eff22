// Evidence: the analyses by group, the tasks, and one analysis at a time.
import { useCall } from "../../api";
import type { PartProps } from "../../main";
import { Tabs, Title } from "../../parts/frame";
import { usePreferences } from "../../preferences";
import { address, go, goWith, usePlace } from "../../router";
import type { ViewShape } from "../../verbs";
import { useWords } from "../../words";
import { GROUPS, namesOf, type Group } from "./catalogue";
import { useTasks, type TaskName } from "./names";
import { View } from "./view";
import { table } from "./words";
import "./evidence.css";

export default function Evidence({ rest }: PartProps) {
  const { query } = usePlace();
  const shapes = useCall("views", {}).answer ?? [];
  const tasks = useTasks();
  const task = query.get("task");
  const [view] = rest;
  return (
    <>
      <EvidenceTabs current="analyses" />
      {view ? <OneView view={view} shapes={shapes} task={task} tasks={tasks} /> : <Overview shapes={shapes} task={task} tasks={tasks} />}
    </>
  );
}

export function EvidenceTabs({ current }: { current: "analyses" | "sql" | "task" }) {
  const say = useWords(table);
  return <Tabs current={current} places={[{ name: "analyses", path: "/evidence", text: say.analyses }, { name: "sql", path: "/sql", text: say.sql }]} />;
}

function OneView({ view, shapes, task, tasks }: { view: string; shapes: ViewShape[]; task: string | null; tasks: TaskName[] | null }) {
  const say = useWords(table);
  const { language } = usePreferences();
  return (
    <div class="columns">
      <nav class="view-list" aria-label={say.analyses}>
        {groups(shapes).map((group) => (
          <div key={group.name}>
            <p class="group-name">{say[group.name]}</p>
            <ul>{group.views.map((name) => <li key={name}><a href={address(`/evidence/${name}`, { task })} aria-current={name === view ? "page" : undefined}>{namesOf(name, language).title}</a></li>)}</ul>
          </div>
        ))}
      </nav>
      <div>
        <div class="view-choice">
          <label class="stack narrow">{say.view}
            <select value={view} onChange={(event) => go(address(`/evidence/${event.currentTarget.value}`, { task }))}>
              {groups(shapes).map((group) => <optgroup key={group.name} label={say[group.name]}>{group.views.map((name) => <option key={name} value={name}>{namesOf(name, language).title}</option>)}</optgroup>)}
            </select>
          </label>
          <TaskChoice task={task} tasks={tasks} />
        </div>
        <View key={view} view={view} shape={shapes.find((shape) => shape.name === view)} task={task} tasks={tasks ?? []} />
      </div>
    </div>
  );
}

function Overview({ shapes, task, tasks }: { shapes: ViewShape[]; task: string | null; tasks: TaskName[] | null }) {
  const say = useWords(table);
  const { language } = usePreferences();
  return (
    <>
      <Title>{say.evidence}</Title>
      <p>{say.intro}</p>
      <TaskChoice task={task} tasks={tasks} />
      {groups(shapes).map((group) => (
        <section key={group.name}>
          <h2>{say[group.name]}</h2>
          <ul class="view-cards">
            {group.views.map((name) => {
              const { title, question } = namesOf(name, language);
              return <li key={name} class="card"><h3><a href={address(`/evidence/${name}`, { task })}>{title}</a></h3><p class="muted">{question || shapes.find((shape) => shape.name === name)?.question}</p></li>;
            })}
          </ul>
        </section>
      ))}
      <section>
        <h2>{say.tasks}</h2>
        {tasks?.length === 0 && <p class="muted">{say.noTasks} <code>wherefrom task create "…"</code></p>}
        <ul class="task-list">{tasks?.map((one) => <li key={one.id}><a href={address(`/task/${one.id}`)}>{one.question}</a></li>)}</ul>
      </section>
    </>
  );
}

function TaskChoice({ task, tasks }: { task: string | null; tasks: TaskName[] | null }) {
  const say = useWords(table);
  return (
    <div class="task-choice">
      <label class="stack">{say.task}
        <select value={task ?? ""} onChange={(event) => goWith({ task: event.currentTarget.value })}>
          <option value="">{say.allTasks}</option>
          {task && !tasks?.some((one) => one.id === task) && <option value={task}>{task}</option>}
          {tasks?.map((one) => <option key={one.id} value={one.id}>{one.question}</option>)}
        </select>
      </label>
      {task && <a href={address(`/task/${task}`)}>{say.report}</a>}
    </div>
  );
}

/** The groups with the analyses that the service has; those that this page does not know go with the first. */
function groups(shapes: ViewShape[]): Group[] {
  if (shapes.length === 0) return GROUPS;
  const known = new Set(GROUPS.flatMap((group) => group.views));
  const unknown = shapes.map((shape) => shape.name).filter((name) => !known.has(name));
  const offered = new Set(shapes.map((shape) => shape.name));
  return GROUPS.map((group, at) => ({ ...group, views: [...group.views.filter((name) => offered.has(name)), ...(at === 0 ? unknown : [])] }));
}
