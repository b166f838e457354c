import contextlib
import unittest
import warnings
from types import SimpleNamespace
from typing import Any, Dict, Iterator, List

from lukasa import Lukasa, LukasaWarning, wrap

from .model import Model, ModelError, OpenAI, Remembered
from .server import Slept, serving

# A block as the server marks it. Its key is the server's, and the server alone knows it again.
KNOWN = "Memory (Lukasa#493027716): recalled for this prompt, not said by the user.\n- Known.\n(end)"


class Talk:
    """A wrapped client between two servers."""

    def __init__(self, model_url: str, url: str, m: Model, r: Remembered, options: Dict[str, Any]) -> None:
        self.m, self.r, self.model_url = m, r, model_url
        self.troubles: List[str] = []
        self.lukasa = Lukasa(url, sleep=Slept())
        given: Dict[str, Any] = {"lukasa": self.lukasa, "session": "s 1", "agent": "porter", "budget": 500, "on_trouble": lambda error, during: self.troubles.append(during)}
        self.client: Any = wrap(OpenAI(model_url), **{**given, **options})


@contextlib.contextmanager
def talk(**options: Any) -> Iterator[Talk]:
    m, r = Model(), Remembered()
    with serving(m.handle) as model_url, serving(r.handle) as url:
        t = Talk(model_url, url, m, r, options)
        with t.lukasa:
            yield t


def call(id: str, name: str, arguments: str) -> Dict[str, Any]:
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


def says(text: str) -> Dict[str, Any]:
    return {"role": "assistant", "content": text}


def asks(text: str) -> Dict[str, Any]:
    return {"role": "user", "content": text}


class TestWrap(unittest.TestCase):
    def test_a_pack_is_put_in_and_what_is_said_is_recorded_once(self) -> None:
        with talk() as t:
            t.r.text = block = "Memory (Lukasa#493027716): recalled.\n## Facts\n- A parcel weighs 30 kg at most.\n(end)"
            t.m.says = [says("30 kg."), says("Two.")]
            messages: List[Any] = [{"role": "system", "content": "Be brief."}, asks("How heavy may a parcel be?")]
            first = t.client.chat.completions.create(model="m", messages=messages)
            self.assertEqual(first.choices[0].message.content, "30 kg.")
            self.assertEqual(len(messages), 2, "the caller's own list is left alone")
            self.assertEqual(t.m.asked[0]["messages"], [messages[0], {"role": "system", "content": block}, messages[1]])
            self.assertEqual(t.r.packs[0], {"query": "How heavy may a parcel be?", "session_id": "s 1", "agent_id": "porter", "budget": 500, "marked": True})

            # As programs do, with the object that was answered.
            image = {"type": "image_url", "image_url": {"url": "https://example.com/a.png"}}
            messages += [first.choices[0].message, {"role": "user", "content": [{"type": "text", "text": "And how many?"}, image]}]
            t.client.chat.completions.create(model="m", messages=messages)
            self.assertEqual(t.r.told(), [
                ("message", {"role": "user", "text": "How heavy may a parcel be?"}),
                ("message", {"role": "assistant", "text": "30 kg."}),
                ("message", {"role": "user", "text": "And how many?", "attachments": [{"type": "image_url", "url": "https://example.com/a.png"}]}),
                ("message", {"role": "assistant", "text": "Two."}),
            ])
            self.assertEqual((t.r.repeated, t.troubles), (0, []))
            e = t.r.events[0]
            self.assertEqual((e["session_id"], e["agent_id"], e["source"], e["metadata"]), ("s 1", "porter", "openai-client", {"model": "m"}))

    def test_tool_calls_and_their_results_streamed_or_not(self) -> None:
        calls = [call("c1", "weigh", '{"parcel": 7}'), call("c2", "shout", "no JSON")]
        for stream in (False, True):
            with self.subTest(stream=stream), talk() as t:
                t.r.text = "- Known."
                t.m.says = [{**says("I look. ☂"), "tool_calls": calls}, says("29.5 kg.")]
                messages: List[Any] = [asks("Weigh parcel 7.")]

                def ask() -> str:
                    if not stream:
                        return str(t.client.chat.completions.create(model="m", messages=messages).choices[0].message.content)
                    with t.client.chat.completions.create(model="m", messages=messages, stream=True) as chunks:
                        return "".join(getattr(choice.delta, "content", None) or "" for chunk in chunks for choice in chunk.choices)

                self.assertEqual(ask(), "I look. ☂")
                messages += [
                    {**says("I look. ☂"), "tool_calls": calls},
                    {"role": "tool", "tool_call_id": "c1", "content": "29.5 kg"},
                    {"role": "tool", "tool_call_id": "c2", "content": [{"type": "text", "text": "quiet"}]},
                ]
                self.assertEqual(ask(), "29.5 kg.")
                self.assertEqual(t.r.told(), [
                    ("message", {"role": "user", "text": "Weigh parcel 7."}),
                    ("message", {"role": "assistant", "text": "I look. ☂"}),
                    ("tool_call", {"tool_name": "weigh", "arguments": {"parcel": 7}, "call_id": "c1"}),
                    ("tool_call", {"tool_name": "shout", "arguments": {"text": "no JSON"}, "call_id": "c2"}),
                    ("tool_result", {"tool_name": "weigh", "call_id": "c1", "result": {"text": "29.5 kg"}}),
                    ("tool_result", {"tool_name": "shout", "call_id": "c2", "result": {"text": "quiet"}}),
                    ("message", {"role": "assistant", "text": "29.5 kg."}),
                ])
                self.assertEqual(len(t.r.packs), 1, "while tools are called the pack stays")
                self.assertEqual(t.m.asked[0]["messages"][0], t.m.asked[1]["messages"][0])
                self.assertEqual((t.r.repeated, t.troubles), (0, []))

    def test_another_client_of_the_same_session_records_nothing_twice(self) -> None:
        with talk(budget=0) as t:
            t.m.says = [says("answer 1"), says("answer 1"), says("answer 1"), says("answer 2")]
            t.client.chat.completions.create(messages=[asks("yes")])
            t.client.chat.completions.create(messages=[asks("yes")])  # asked again, as after a lost answer
            self.assertEqual(t.r.texts(), ["yes", "answer 1"])
            other: Any = wrap(OpenAI(t.model_url), lukasa=t.lukasa, session="s 1", agent="porter", budget=0, on_trouble=lambda error, _: t.troubles.append(str(error)))
            other.chat.completions.create(messages=[asks("yes"), says("answer 1"), asks("yes")])  # the same words, said again
            self.assertEqual((t.r.texts(), t.r.repeated), (["yes", "answer 1", "yes", "answer 1"], 2))
            other.chat.completions.create(messages=[says("answer 1"), asks("yes")])  # of which the beginning was cut off
            self.assertEqual(t.r.texts(), ["yes", "answer 1", "yes", "answer 1", "answer 2"])
            self.assertEqual(t.troubles, [], "what is there already is no trouble")

    def test_ids_are_those_of_the_other_clients(self) -> None:
        with talk(budget=0) as t:
            t.m.says = [{**says("☂ ok"), "tool_calls": [call("c1", "weigh", "{}")]}]
            t.client.chat.completions.create(messages=[asks("yes")])
            self.assertEqual([e["event_id"] for e in t.r.events], IDS)

    def test_text_is_sent_as_it_is_for_the_server_to_cut(self) -> None:
        with talk() as t:
            t.r.text = "- Known."
            t.m.says = [says("Mine.\n" + KNOWN.split("\n")[1])]
            t.client.chat.completions.create(messages=[asks(KNOWN + "\nWhat is known?")])
            self.assertEqual(t.r.texts(), [KNOWN + "\nWhat is known?", "Mine.\n" + KNOWN.split("\n")[1]])
            self.assertEqual(t.r.packs[0]["query"], KNOWN + "\nWhat is known?")

    def test_trouble_with_memory_breaks_nothing(self) -> None:
        with talk() as t:
            t.r.text = None
            t.m.says = [says("Fine."), says("Good.")]
            messages = [asks("How are you?")]
            self.assertEqual(t.client.chat.completions.create(messages=messages).choices[0].message.content, "Fine.")
            self.assertEqual(t.troubles, ["pack", "record"])
            self.assertEqual(t.m.asked[0]["messages"], messages)
            # When it is back, what was not recorded is.
            t.r.text = ""
            messages += [says("Fine."), asks("And now?")]
            t.client.chat.completions.create(messages=messages)
            self.assertEqual(t.r.texts(), ["How are you?", "Fine.", "And now?", "Good."])
            self.assertEqual(t.m.asked[1]["messages"], messages, "an empty pack is not put in")

    def test_trouble_is_a_warning(self) -> None:
        with talk(on_trouble=None) as t:
            t.r.text = None
            t.m.says = [says("Fine.")]
            with self.assertWarns(LukasaWarning):
                t.client.chat.completions.create(messages=[asks("How are you?")])
            t.m.says = [says("Fine.")]
            with warnings.catch_warnings():
                warnings.simplefilter("error")  # even then it breaks nothing
                t.client.chat.completions.create(messages=[asks("How are you?")])

    def test_what_a_model_refuses_is_raised_and_what_was_asked_is_recorded(self) -> None:
        with talk() as t:
            with self.assertRaises(ModelError):
                t.client.chat.completions.create(messages=[asks("Say something.")])
            self.assertEqual(t.r.texts(), ["Say something."])

    def test_a_stream_that_is_left_is_recorded_as_far_as_it_came(self) -> None:
        with talk(budget=0) as t:
            t.m.says = [says("abcdefghi")]
            with t.client.chat.completions.create(messages=[asks("Spell.")], stream=True) as chunks:
                for chunk in chunks:
                    if chunk.choices[0].delta.content == "def":
                        break
            self.assertEqual(t.r.texts(), ["Spell.", "abcdef"])
            self.assertTrue(chunks.closed)

    def test_it_behaves_as_the_client_does(self) -> None:
        with talk() as t:
            self.assertIsInstance(t.client, OpenAI)
            self.assertEqual(t.client.api_key, "x")
            t.client.api_key = "y"
            self.assertEqual(t.client.api_key, "y")
            with self.assertRaises(AttributeError):
                t.client.nothing
            t.m.says = [says("Yes.")]
            t.client.with_options(timeout=1).chat.completions.create(messages=[asks("Do you?")])
            self.assertEqual(t.r.texts(), ["Do you?", "Yes."])

    def test_the_responses_interface(self) -> None:
        output = [
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "I look."}]},
            {"type": "function_call", "call_id": "c1", "name": "weigh", "arguments": '{"parcel":7}'},
        ]
        for stream in (False, True):
            with self.subTest(stream=stream), talk() as t:
                t.r.text = "- Known."
                deltas = [{"type": "response.output_text.delta", "delta": "I look."}]
                t.m.says = [{"output": output, "deltas": deltas}, {"output": [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "29.5 kg."}]}], "deltas": []}]

                def ask(**body: Any) -> None:
                    answer = t.client.responses.create(**body, stream=stream)
                    if stream:
                        list(answer)
                        answer.close()

                ask(instructions="Be brief.", input="Weigh parcel 7.")
                ask(input=[asks("Weigh parcel 7."), *(SimpleNamespace(**o) for o in output), {"type": "function_call_output", "call_id": "c1", "output": "29.5 kg"}])
                self.assertTrue(t.m.asked[0]["instructions"].startswith("Be brief.\n"))
                self.assertIn(KNOWN.split("\n")[1], t.m.asked[0]["instructions"])
                self.assertEqual(t.r.told(), [
                    ("message", {"role": "user", "text": "Weigh parcel 7."}),
                    ("message", {"role": "assistant", "text": "I look."}),
                    ("tool_call", {"tool_name": "weigh", "arguments": {"parcel": 7}, "call_id": "c1"}),
                    ("tool_result", {"tool_name": "weigh", "call_id": "c1", "result": {"text": "29.5 kg"}}),
                    ("message", {"role": "assistant", "text": "29.5 kg."}),
                ])
                self.assertEqual(t.r.repeated, 0)


# What a user's "yes", and an answer with a tool call, are called; the TypeScript client has the same.
IDS = ["chat-dce56e327a2484b4033b602d1360b4f9-0", "chat-4ef9482a04d27dfd4cffb8f53742ffe1-0", "chat-4ef9482a04d27dfd4cffb8f53742ffe1-1"]
