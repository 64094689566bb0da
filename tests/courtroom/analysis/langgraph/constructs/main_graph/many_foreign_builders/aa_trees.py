"""Functions that add nodes to trees."""


class Tree:
    def __init__(self):
        self.rows = []

    def add_node(self, name):
        self.rows.append(name)


def tree_0():
    tree = Tree()
    tree.add_node("n0")
    return tree


def tree_1():
    tree = Tree()
    tree.add_node("n1")
    return tree


def tree_2():
    tree = Tree()
    tree.add_node("n2")
    return tree


def tree_3():
    tree = Tree()
    tree.add_node("n3")
    return tree


def tree_4():
    tree = Tree()
    tree.add_node("n4")
    return tree


def tree_5():
    tree = Tree()
    tree.add_node("n5")
    return tree


def tree_6():
    tree = Tree()
    tree.add_node("n6")
    return tree


def tree_7():
    tree = Tree()
    tree.add_node("n7")
    return tree


def tree_8():
    tree = Tree()
    tree.add_node("n8")
    return tree


def tree_9():
    tree = Tree()
    tree.add_node("n9")
    return tree


def tree_10():
    tree = Tree()
    tree.add_node("n10")
    return tree


def tree_11():
    tree = Tree()
    tree.add_node("n11")
    return tree


def tree_12():
    tree = Tree()
    tree.add_node("n12")
    return tree


def tree_13():
    tree = Tree()
    tree.add_node("n13")
    return tree


def tree_14():
    tree = Tree()
    tree.add_node("n14")
    return tree


def tree_15():
    tree = Tree()
    tree.add_node("n15")
    return tree


def tree_16():
    tree = Tree()
    tree.add_node("n16")
    return tree


def tree_17():
    tree = Tree()
    tree.add_node("n17")
    return tree


def tree_18():
    tree = Tree()
    tree.add_node("n18")
    return tree


def tree_19():
    tree = Tree()
    tree.add_node("n19")
    return tree


def tree_20():
    tree = Tree()
    tree.add_node("n20")
    return tree


def tree_21():
    tree = Tree()
    tree.add_node("n21")
    return tree


def tree_22():
    tree = Tree()
    tree.add_node("n22")
    return tree


def tree_23():
    tree = Tree()
    tree.add_node("n23")
    return tree


def tree_24():
    tree = Tree()
    tree.add_node("n24")
    return tree


def tree_25():
    tree = Tree()
    tree.add_node("n25")
    return tree


def tree_26():
    tree = Tree()
    tree.add_node("n26")
    return tree


def tree_27():
    tree = Tree()
    tree.add_node("n27")
    return tree


def tree_28():
    tree = Tree()
    tree.add_node("n28")
    return tree


def tree_29():
    tree = Tree()
    tree.add_node("n29")
    return tree


def tree_30():
    tree = Tree()
    tree.add_node("n30")
    return tree


def tree_31():
    tree = Tree()
    tree.add_node("n31")
    return tree


def tree_32():
    tree = Tree()
    tree.add_node("n32")
    return tree


def tree_33():
    tree = Tree()
    tree.add_node("n33")
    return tree


def tree_34():
    tree = Tree()
    tree.add_node("n34")
    return tree


def tree_35():
    tree = Tree()
    tree.add_node("n35")
    return tree


def tree_36():
    tree = Tree()
    tree.add_node("n36")
    return tree


def tree_37():
    tree = Tree()
    tree.add_node("n37")
    return tree


def tree_38():
    tree = Tree()
    tree.add_node("n38")
    return tree


def tree_39():
    tree = Tree()
    tree.add_node("n39")
    return tree


def tree_40():
    tree = Tree()
    tree.add_node("n40")
    return tree


def tree_41():
    tree = Tree()
    tree.add_node("n41")
    return tree


def tree_42():
    tree = Tree()
    tree.add_node("n42")
    return tree


def tree_43():
    tree = Tree()
    tree.add_node("n43")
    return tree


def tree_44():
    tree = Tree()
    tree.add_node("n44")
    return tree
