"""Spaces and comments out of the front end's text: what it means stays."""

import pytest

from autolab.widgets.shrink import shrink_css, shrink_js

SAME = [
    ("a + +b; a - -b; a+ -b", "a+ +b;a- -b;a+ -b"),
    ("x = a / b / c;", "x=a/b/c;"),
    ("y = s.match(/a b\\/[/ ]+/g) // a remark", "y=s.match(/a b\\/[/ ]+/g)"),
    ("f(/** @type {any} */ (x), /* no */ y)", "f((x),y)"),
    ("t = \"a // b\" + 'c  /* d */';", "t=\"a // b\"+'c  /* d */';"),
    ("t = `a // ${f( `b ${ c }  }` )}  d`;", "t=`a // ${f( `b ${ c }  }` )}  d`;"),
    ("return x\n}\nfoo()", "return x}\nfoo()"),
    ("if (a) { b = 1; } while (f(a)); }", "if(a){b=1}while(f(a));}"),
    ("a\n(b)", "a\n(b)"),
    ("i++\nj", "i++\nj"),
    ("async ({ model }) => await go()", "async({model})=>await go()"),
    ("for (const a of b)\n  if (a in c) d();", "for(let a of b)\nif(a in c)d();"),
    (
        "const a = 1;\nconst { b } = a; f(); let c; const d = () => { let e; }; let g",
        "let a=1,{b}=a;f();let c,d=()=>{let e},g",
    ),
    ("let a = 1; if (a) { b; } let c; let d", "let a=1;if(a){b}let c;let d"),
    ("for (let i = 0; i < n; i++) { const a = i; let b; }", "for(let i=0;i<n;i++){let a=i,b}"),
    ("export default () => 1", "export default()=>1"),
    ("a = b\n  .c()\n  ?? d", "a=b.c()??d"),
]


@pytest.mark.parametrize(("before", "after"), SAME)
def test_what_a_program_means_stays(before: str, after: str) -> None:
    assert shrink_js(before) == after
    assert shrink_js(after) == after


def test_selectors_and_values_keep_the_spaces_that_they_need() -> None:
    text = ".a .b > c:hover, d :is(e) {\n  width: calc(1px + 2em); /* why */\n  font: 1em / 2 x, y;\n}\n"
    text += "@media (x: y) { f { g: h } }"
    assert shrink_css(text) == (".a .b > c:hover,d :is(e){width:calc(1px + 2em);font:1em / 2 x,y}@media (x:y){f{g:h}}")
